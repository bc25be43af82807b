import EngagementAdapterAPI
import EngagementModel
import FoundationEssentials
import Testing

@testable import EngagementKit

@Suite("what an operation brought") struct FindingsTests {
  private let key = OperationKey(0, 1)

  @Test(
    "news, word that there is none, and neither",
    arguments: [
      ([Change.items(.cards, .put, [])], Finding(isNew: true)),
      ([.unchanged(.cards)], Finding(isUnchanged: true)),
      ([.keep(.user, "tag", "1"), .unchanged(.inbox)], Finding(isUnchanged: true)),
      ([.keep(.user, "tag", "1")], Finding()),
      ([.person(nil), .unchanged(.inbox)], Finding(isNew: true, isUnchanged: true)),
    ])
  func found(changes: [Change], finding: Finding) {
    let findings = Findings()
    findings.watch(key)
    findings.note(changes, of: OperationKey(0, 2))
    findings.note(changes, of: key)
    #expect(findings.take(key) == finding)
    #expect(findings.take(key) == Finding(), "it is taken once")
  }

  @Test("who waits says what the ledger is told, as long as that is waited for")
  func telling() {
    let findings = Findings()
    let event = EngagementEvent(id: EventID("e"), kind: .providerRequest, time: Date())
    findings.watch(key) { event }
    findings.watch(OperationKey(0, 2)) { nil }
    findings.watch(OperationKey(0, 3))
    #expect(findings.event(of: key) == event)
    #expect(findings.event(of: OperationKey(0, 2)) == nil)
    #expect(findings.event(of: OperationKey(0, 3)) == nil)
    _ = findings.take(key)
    #expect(findings.event(of: key) == nil)
  }

  @Test("what nobody waits for is not kept")
  func unwatched() {
    let findings = Findings()
    findings.note([.person(nil)], of: key)
    #expect(findings.take(key) == Finding())
  }
}
