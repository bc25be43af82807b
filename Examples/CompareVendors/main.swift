// An application that splits its people between two vendors, shows each person the cards of one of
// them, and asks the library which vendor's cards are clicked by more people. Both vendors' servers are
// the emulator's, in this process.
import EngagementAnalytics
import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import Orchard

let emulator = try await Emulator.start(.init([.braze, .orchard]))
let folder = FileManager.default.temporaryDirectory.appending(path: "vendors-\(UUID().uuidString)")
let cache = Engagement.Cache.file(folder.appending(path: "cache.sqlite").path)
let providers: Engagement.Providers = [
  "braze": try .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo")),
  "orchard": try OrchardAdapter(
    endpoint: emulator.endpoint(of: "orchard"), key: Secret("demo"), provider: "orchard"),
]
let routes = Engagement.Routes(cards: .only("braze"), inbox: .none)

// The plan stands before the first person comes.
let plan = try ComparisonDesign(
  experiment: "cards", arms: [.init("braze", share: 0.5), .init("orchard", share: 0.5)],
  control: "braze", metrics: [ComparisonMetric("click", .people(.click))],
  schedule: .fixed(people: 60))

let engagement = try await Engagement.open(
  cache: cache, device: .current(appID: "com.example.shop", appVersion: "1.0"),
  transport: CurlTransport(), providers: providers, routes: routes, options: .init(loggers: []))
let running = Task { try await engagement.run() }
engagement.setScenePhase(.active)

// A person is in one arm on every device: the arm follows from a hash of the id, and from no vendor.
let hash = PersonHash(key: Array("the key of the experiment".utf8))
var exposures: [EventRecord] = []
for number in 1...60 {
  let person = "person-\(number)"
  let isEven = hash.text(of: person).last?.hexDigitValue?.isMultiple(of: 2) == true
  let arm: ProviderID = isEven ? "braze" : "orchard"
  exposures.append(exposure(of: person, to: arm))
  try await engagement.signIn(User(UserID(person)), consent: .full)
  try await engagement.setRoute(.only(arm), for: .cards)
  _ = await engagement.refresh(.cards(in: "home"))
  // What people do is made up: 3 of 10 click at one vendor, 8 of 10 at the other.
  let card = engagement.cards(in: "home").cards.first { $0.url != nil }
  guard let card, number % 10 < (arm == "braze" ? 3 : 8) else { continue }
  try await engagement.perform(.click, on: card)
}
running.cancel()
try await engagement.close()

// Exposures first, then what the ledger has.
var accumulator = ComparisonAccumulator(plan)
var sink = ObservedEventSink { accumulator.add($0) }
for exposure in exposures { exposure.send(to: &sink) }
let reader = try EngagementReader.open(cache: cache, providers: providers, routes: routes)
var export = EventExport(EventSelection(), from: "urn:example:phone") { $0.id?.rawValue }
while try reader.writeEvents(of: &export, to: &sink) {}

let report = ComparisonReport(accumulator.counts(), at: Date())
print(report.title)
print(report.method)
for sentence in report.sentences { print("- \(sentence)") }
// The table of requests has times, which are others on each machine.
for table in report.tables where ["People", "Figures"].contains(table.title) {
  print(table.title)
  print("  " + table.columns.map(\.title).joined(separator: " | "))
  for row in table.rows { print("  " + row.joined(separator: " | ")) }
}
await emulator.stop()
try FileManager.default.removeItem(at: folder)

/// The event that says in which arm a person is, as an export has it.
func exposure(of person: String, to arm: ProviderID) -> EventRecord {
  let data = #"{"arm":"\#(arm)","version":1}"#
  return EventRecord([
    .id: .text("exposure-\(person)"), .source: .text("urn:example:phone"),
    .type: .text("engage.experiment.exposed"), .name: .text("cards"), .user: .text(person),
    .time: .time(Int64(Date().timeIntervalSince1970 * 1_000)), .sequence: .integer(0),
    .data: .json(data),
  ])
}
