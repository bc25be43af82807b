public import EngagementVendors

extension VendorRegistration {
  /// Atomic for the emulator alone: its server, without an adapter.
  public static let atomicServer = {
    var registration = VendorRegistration.atomic
    registration.server = AtomicServer.self
    registration.credentialHeaders = ["x-atomic-sdk-api-key"]
    return registration
  }()
}
