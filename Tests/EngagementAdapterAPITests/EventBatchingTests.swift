import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@Suite struct EventBatchingTests {
  private func events(_ kinds: [EngagementEvent.Kind]) -> [EngagementEvent] {
    kinds.enumerated().map { index, kind in
      EngagementEvent(id: EventID("e-\(index)"), kind: kind, time: Date(timeIntervalSince1970: 0))
    }
  }

  private func shape(_ batches: [[EngagementEvent]]) -> [[String]] {
    batches.map { $0.map(\.id.rawValue) }
  }

  @Test("batches keep the order and hold at most the limit")
  func limit() {
    let batches = EventBatching(limit: 2).batches(
      of: events([.click, .open, .read, .click, .open]))
    #expect(shape(batches) == [["e-0", "e-1"], ["e-2", "e-3"], ["e-4"]])
  }

  @Test("batching by kind puts each kind in its own batch")
  func byKind() {
    let batching = EventBatching(limit: 9, isByKind: true)
    #expect(
      shape(batching.batches(of: events([.launch, .click, .launch]))) == [["e-0", "e-2"], ["e-1"]])
  }

  @Test("a group of kinds gets its own batch")
  func groups() {
    let batching = EventBatching(limit: 9, groups: [.impression: "viewed"])
    #expect(
      shape(batching.batches(of: events([.impression, .click, .custom, .impression])))
        == [["e-0", "e-3"], ["e-1", "e-2"]])
  }

  @Test("no events give no batch, and a limit of zero sends one event at a time")
  func edges() {
    #expect(EventBatching(limit: 5).batches(of: []).isEmpty)
    #expect(EventBatching(limit: 0).batches(of: events([.click, .click])).count == 2)
  }
}
