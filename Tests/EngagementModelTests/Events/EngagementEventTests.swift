import EngagementModel
import Foundation
import Testing

@Suite("Events and references to items")
struct EngagementEventTests {
  @Test("every word of the plan has its kind")
  func words() {
    #expect(kinds.map(\.text) == plannedWords)
  }

  @Test("a kind that has no name here is kept as it is")
  func openKind() throws {
    let event = EngagementEvent(id: "1", kind: "card.teleported", time: moment(0))
    let read = try EngagementEvent(json: event.json)
    #expect(read.kind == "card.teleported")
    #expect(!kinds.contains(read.kind))
  }

  @Test("the handle is in what the outbox keeps and in nothing else")
  func handle() throws {
    let event = EngagementEvent.full
    #expect(!event.json.printed.contains("secretive"))
    #expect(try EngagementEvent(json: event.storedJSON).item?.handle == [:])
    #expect(try EngagementEvent(storedJSON: event.storedJSON) == event)
    #expect(try EngagementEvent(storedJSON: event.json) == event.withoutHandle)
  }

  @Test("a wrong handle is an error that names it")
  func wrongHandle() {
    let item = ItemReference.full.storedJSON.replacing("handle", with: [1])
    expectFault("item.handle", "item") { try ItemReference(storedJSON: item).json }
    expectFault("event.item.handle", "event") {
      let json = EngagementEvent.full.storedJSON.replacing("item", with: item)
      return try EngagementEvent(storedJSON: json).json
    }
  }

  @Test("the time of an event keeps its milliseconds, to the nearest")
  func milliseconds() throws {
    let event = EngagementEvent(id: "1", kind: .click, time: moment(0).addingTimeInterval(0.000_4))
    #expect(try EngagementEvent(json: event.json).time == moment(0))
  }

  @Test("numbers at the ends of their range survive", arguments: [Int64.min, -1, 0, .max])
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
  .providerFailed, .providerFallback, .providerMismatch, .routeChanged, .itemQuarantined,
  .outboxDropped, .experimentExposed,
]

private let plannedWords = """
  delivered displayed seen impression click open read dismiss snooze submit vote expire receive \
  launch session.start session.end inbox.fetch feed.updated redirect subview video \
  stream.displayed variables.updated upload register identify custom purchase optout \
  template.presented template.dismissed provider.request provider.failed provider.fallback \
  provider.mismatch route.changed item.quarantined outbox.dropped experiment.exposed
  """.split(separator: " ").map(String.init)
