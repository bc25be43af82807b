import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite("what consent lets out") struct ConsentGateTests {
  private let attempt = Attempt(by: "u-1", OperationKey(1, 2), acceptedAt: .distantPast)

  private func isLetOut(
    _ operation: EngagementAdapterAPI.Operation, _ attempt: Attempt, by consent: Consent,
    at gate: ConsentGate
  ) -> Bool {
    do throws(EngagementError) {
      try gate.check(operation, attempt, by: consent)
      return true
    } catch {
      #expect(error.code == .consentDenied && error.operation == operation.verb.text)
      return false
    }
  }

  @Test("denied: the opt-out goes, and what it needs first, however deep; nothing else (X20)")
  func denied() {
    let gate = ConsentGate()
    #expect(!isLetOut(.inbox, attempt, by: .denied, at: gate))
    #expect(!isLetOut(.device(.register), attempt.preparing, by: .denied, at: gate))
    var step = attempt
    #expect(isLetOut(.optOut(true), step, by: .denied, at: gate))
    for operation in [EngagementAdapterAPI.Operation.device(.register), .settings] {
      step = step.preparing
      #expect(isLetOut(operation, step, by: .denied, at: gate))
    }
    let other = Attempt(by: "u-1", OperationKey(3, 4), acceptedAt: .distantPast)
    #expect(!isLetOut(.device(.register), other, by: .denied, at: gate))
    #expect(!isLetOut(.events([]), other, by: .denied, at: gate))
  }

  @Test("what was let out under another consent excuses nothing under a denied one")
  func withdrawn() {
    let gate = ConsentGate()
    #expect(isLetOut(.inbox, attempt, by: .full, at: gate))
    #expect(!isLetOut(.device(.register), attempt.preparing, by: .denied, at: gate))
  }
}
