import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import Testing

@testable import EngagementKit

@Suite("rows that end under way") struct LostRowsTests {
  private func report(_ endings: (OperationKey, Ending)...) -> CommitReport {
    var report = CommitReport()
    report.ended = endings.map { CommitReport.Ended($0.0, $0.1) }
    return report
  }

  @Test("a row that was delivered is not lost; one that ended otherwise is, with its reason")
  func reasons() {
    let lost = LostRows()
    let refusal = EngagementError(.conflict, "The device is somebody else's.")
    lost.note(
      report(
        (OperationKey(0, 1), .delivered), (OperationKey(0, 2), .rejected(refusal)),
        (OperationKey(0, 3), .wiped)))
    #expect(lost.reason(of: OperationKey(0, 1)) == nil)
    #expect(lost.reason(of: OperationKey(0, 2)) == refusal.message)
    #expect(lost.reason(of: OperationKey(0, 3)) == "It was wiped.")
    #expect(lost.reason(of: OperationKey(0, 4)) == nil)
  }

  @Test("only the newest thousand are remembered (G7)")
  func bounded() {
    let lost = LostRows()
    for number: UInt64 in 0..<1_500 { lost.note(report((OperationKey(1, number), .expired))) }
    #expect(lost.reason(of: OperationKey(1, 499)) == nil)
    #expect(lost.reason(of: OperationKey(1, 500)) != nil)
    #expect(lost.reason(of: OperationKey(1, 1_499)) != nil)
  }
}
