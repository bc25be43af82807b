import EngagementModel
import Foundation
import Testing

@Suite("Events and item references")
struct EngagementEventTests {
  @Test("every planned event name has its kind")
  func words() {
    #expect(kinds.map(\.rawValue) == plannedWords)
  }

  @Test("the list of known kinds has every constant")
  func knownKinds() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "Sources/EngagementModel/Events/EventKind.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let constants = source.matches(of: /static let \w+: Kind = "([^"]+)"/).map { String($0.1) }
    #expect(constants.count > 40)
    #expect(EngagementEvent.Kind.known.map(\.rawValue) == constants)
  }

  @Test("an unknown kind is kept unchanged")
  func openKind() throws {
    let event = EngagementEvent(id: "1", kind: "card.teleported", time: moment(0))
    let read = try EngagementEvent(json: event.json)
    #expect(read.kind == "card.teleported")
    #expect(!kinds.contains(read.kind))
  }

  @Test("only the stored form of an event contains the handle")
  func handle() throws {
    let event = EngagementEvent.full
    #expect(!event.json.printed.contains("secretive"))
    #expect(try EngagementEvent(json: event.storedJSON).item?.handle == [:])
    #expect(try EngagementEvent(storedJSON: event.storedJSON) == event)
    #expect(try EngagementEvent(storedJSON: event.json) == event.withoutHandle)
  }

  @Test("a malformed handle is an error that names its path")
  func wrongHandle() {
    let item = ItemReference.full.storedJSON.replacing("handle", with: [1])
    expectFault("item.handle", "item") { try ItemReference(storedJSON: item).json }
    expectFault("event.item.handle", "event") {
      let json = EngagementEvent.full.storedJSON.replacing("item", with: item)
      return try EngagementEvent(storedJSON: json).json
    }
  }

  @Test("an event's time is rounded to the nearest millisecond")
  func milliseconds() throws {
    let event = EngagementEvent(id: "1", kind: .click, time: moment(0).addingTimeInterval(0.000_4))
    #expect(try EngagementEvent(json: event.json).time == moment(0))
  }

  @Test(
    "integers at the ends of their range survive a round trip", arguments: [Int64.min, -1, 0, .max])
  func sequence(sequence: Int64) throws {
    let event = EngagementEvent(
      id: "1", kind: .click, time: moment(0), sequence: sequence,
      properties: ["n": .integer(sequence)])
    #expect(try EngagementEvent(json: event.json) == event)
  }
}

private let kinds: [EngagementEvent.Kind] = [
  .delivered, .displayed, .seen, .impression, .click, .open, .read, .dismiss, .snooze, .submit,
  .vote, .expire, .receive, .launch, .sessionStart, .sessionEnd, .inboxFetch, .feedUpdated,
  .redirect, .subview, .video, .streamDisplayed, .variablesUpdated, .upload, .register, .identify,
  .custom, .purchase, .optOut, .templatePresented, .templateDismissed, .providerRequest,
  .providerFailed, .providerFallback, .credentialRenewed, .providerMismatch, .routeChanged,
  .itemQuarantined, .contentDuplicated, .itemHeld, .outboxDropped, .experimentAssigned,
  .experimentExposed, .campaignDue, .campaignDropped,
]

private let plannedWords = """
  delivered displayed seen impression click open read dismiss snooze submit vote expire receive \
  launch session.start session.end inbox.fetch feed.updated redirect subview video \
  stream.displayed variables.updated upload register identify custom purchase optout \
  template.presented template.dismissed provider.request provider.failed provider.fallback \
  credential.renewed provider.mismatch route.changed item.quarantined content.duplicated item.held \
  outbox.dropped experiment.assigned \
  experiment.exposed campaign.due campaign.dropped
  """.split(separator: " ").map(String.init)
