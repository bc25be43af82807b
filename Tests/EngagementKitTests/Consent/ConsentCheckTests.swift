import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite("Consent before each request") struct ConsentCheckTests {
  private let attempt = Attempt(by: "u-1", OperationKey(1, 2), acceptedAt: .distantPast)

  private func isAllowed(
    _ operation: EngagementAdapterAPI.Operation, _ attempt: Attempt, by consent: Consent,
    _ capabilities: AdapterCapabilities = AdapterCapabilities(
      abilities: [:], hosts: AllowedHosts([]))
  ) -> Bool {
    do throws(EngagementError) {
      try ConsentPolicy(consent: consent).check(operation, attempt, capabilities)
      return true
    } catch {
      #expect(error.code == .consentDenied && error.operation == operation.verb.rawValue)
      return false
    }
  }

  @Test("X20: denied consent allows the opt-out and its prerequisites, and nothing else")
  func denied() {
    #expect(!isAllowed(.inbox, attempt, by: .denied))
    #expect(!isAllowed(.device(.register), attempt, by: .denied))
    #expect(isAllowed(.optOut(true), attempt, by: .denied))
    let first = attempt.preparing(for: .optOut)
    #expect(isAllowed(.device(.register), first, by: .denied))
    #expect(isAllowed(.settings, first.preparing(for: .device(.register)), by: .denied))
    #expect(!isAllowed(.events([]), attempt, by: .denied))
  }

  @Test("X20: a user who allows nothing can give back a push token and a device")
  func withdrawals() {
    #expect(isAllowed(.unregisterPush(.production), attempt, by: .denied))
    #expect(isAllowed(.device(.unregister), attempt, by: .denied))
    #expect(!isAllowed(.registerPush(.production), attempt, by: .denied))
    #expect(!isAllowed(.vendor("farewell", .null), attempt, by: .denied))
    let first = attempt.preparing(for: .unregisterPush)
    #expect(isAllowed(.device(.renew), first, by: .denied))
  }

  @Test("X20: a vendor's own withdrawal needs no consent, nor do its prerequisites")
  func vendorWithdrawal() {
    let vendor = AdapterCapabilities(
      abilities: [
        .vendor("farewell"): Ability(.request, isWithdrawal: true), .vendor("greeting"): .request,
      ], hosts: AllowedHosts([]))
    #expect(isAllowed(.vendor("farewell", .null), attempt, by: .denied, vendor))
    #expect(!isAllowed(.vendor("greeting", .null), attempt, by: .denied, vendor))
    let first = attempt.preparing(for: .vendor("farewell"))
    #expect(isAllowed(.vendor("greeting", .null), first, by: .denied, vendor))
  }

  @Test("a prerequisite of an operation allowed under full consent is refused after a denial")
  func withdrawn() {
    let prerequisite = attempt.preparing(for: .inbox)
    #expect(isAllowed(.device(.register), prerequisite, by: .full))
    #expect(!isAllowed(.device(.register), prerequisite, by: .denied))
    #expect(!isAllowed(.settings, prerequisite.preparing(for: .device(.register)), by: .denied))
  }
}
