import EngagementAnalytics
import EngagementBraze
import EngagementKit
import Foundation

func registerPush(_ engagement: Engagement, token: String) async throws {
  try await engagement.registerPush(
    PushRegistration(token: Secret(token), service: .apns, environment: .production))
  try await engagement.unregisterPush(.production)  // when the user turns pushes off
}

func pushStates(_ engagement: Engagement) async throws {
  for state in try await engagement.pushStates() where !state.hasToken {
    print("\(state.provider) does not have the token: \(state.phase)")
  }
}

func handlePush(_ engagement: Engagement, payload: JSON) async throws {
  guard let push = try await engagement.handlePush(payload, phase: .opened) else {
    return  // of none of the providers: the application handles it itself
  }
  if !push.isRepeated, let link = push.notification.deepLink { print("open \(link)") }
}

func journal(path: String, payload: JSON) throws {
  let journal = try EngagementJournal(cache: .file(path))
  try journal.received(payload)
  try journal.track("reply-tapped")
  try journal.perform(.dismiss, on: ItemID("braze", "card-1"))
}

func reader(path: String, endpoint: String, key: Secret) throws {
  let reader = try EngagementReader.open(
    cache: .file(path), providers: ["braze": .braze(endpoint: endpoint, apiKey: key)],
    routes: .init(cards: .only("braze"), inbox: .none))
  guard try !reader.hasSignedOut else { return }
  for card in try reader.cards(in: "home").cards.prefix(3) { print(card.title ?? "") }
}

func ledger(_ reader: EngagementReader) throws {
  var last: Int64 = 0
  while case let events = try reader.events(after: last, limit: 500), let end = events.last {
    for event in events { print(event.time, event.kind, event.item?.id.description ?? "") }
    last = end.sequence
  }
}

func export(
  _ engagement: Engagement, _ reader: EngagementReader, of installation: String, to file: FileHandle
) async throws {
  var encoder = NDJSONEncoder()  // or CSVEncoder()
  encoder.begin()
  var selection = EventSelection()
  selection.since = Date(timeIntervalSinceNow: -86_400)
  let hash = PersonHash(key: Array(try await engagement.exportSalt().utf8))
  var export = EventExport(selection, from: "urn:uuid:\(installation)") { user in
    user.id.map { hash.text(of: $0.rawValue) }
  }
  while try reader.writeEvents(of: &export, limit: 4_096, to: &encoder) {
    try file.write(contentsOf: encoder.bytes)
    encoder.takeBytes()
  }
  encoder.finish()
  try file.write(contentsOf: encoder.bytes)
}

func incrementalExport(
  _ engagement: Engagement, _ reader: EngagementReader, _ selection: EventSelection
) async throws {
  var selection = selection
  let cursor = try await engagement.exportCursor(named: "nightly", selecting: "every event")
  selection.after = cursor.sequence
  selection.through = try reader.newestSequence
  // Write the selected events, and make them durable.
  try await engagement.moveExportCursor(cursor, to: selection.through)
}

func comparison(_ reader: EngagementReader, of installation: String) throws {
  let design = try ComparisonDesign(providers: ["braze", "vibes"], control: "braze")
  var accumulator = ComparisonAccumulator(design)
  var sink = ObservedEventSink { accumulator.add($0) }
  var export = EventExport(EventSelection(), from: "urn:uuid:\(installation)") { $0.id?.rawValue }
  while try reader.writeEvents(of: &export, to: &sink) {}
  let report = ComparisonReport(accumulator.counts(), at: .now)
  print(report.text)  // or report.json, or report.html
}

func retention(_ options: inout Engagement.Options) {
  options.ledgerRetention = LedgerRetention(
    maximumAge: .seconds(90 * 86_400), maximumEvents: 100_000)
}

func totals(_ reader: EngagementReader) throws {
  for total in try reader.eventTotals() {
    print(total.provider?.rawValue ?? "none", total.delivered, total.seen, total.clicked)
  }
}

func evicted(_ reader: EngagementReader) throws {
  let evicted = try reader.evictedEvents()
  print("\(evicted.byAge) were too old, \(evicted.bySize) too many")
}

func device(_ engagement: Engagement) async throws {
  try await engagement.updateDevice()  // after a change of language or time zone
  try await engagement.renewDeviceCredentials()
  try await engagement.unregisterDevice()
  try await engagement.registerDevice()
}

func person(_ engagement: Engagement) async throws {
  var update = PersonUpdate()
  update.email = "ada@example.com"
  update.custom = ["tier": "gold"]
  print(try engagement.personFields(at: "braze"))  // the fields that the vendor takes
  try await engagement.updatePerson(update)
  try await engagement.associate("crm-17")

  let outcome = await engagement.refresh(.person)
  print(outcome, try await engagement.person(at: "vibes")?.externalID ?? "not heard")
}

func consent(_ engagement: Engagement) async throws {
  if try await engagement.consent == .unknown { try await engagement.setConsent(.essential) }
}

func privacy(_ engagement: Engagement) async throws {
  let everything = try await engagement.exportData(of: "u-1")
  for object in everything { print(object["record"]?.string ?? "") }  // such as "event" or "card"
  let report = try await engagement.eraseData(of: "u-1")
  print("\(report.discarded) actions dropped; clean: \(report.signOut?.isClean ?? true)")
}
