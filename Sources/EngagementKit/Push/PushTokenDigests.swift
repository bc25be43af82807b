import EngagementFormats
import EngagementModel

/// Digests of the installation's push tokens, as this process saw them last. They tell whether a vendor
/// has the token that is there or a former one.
final class PushTokenDigests: Sendable {
  private let digests = Locked<[PushEnvironment: [UInt8]]>([:])

  subscript(environment: PushEnvironment) -> [UInt8]? { digests.withLock { $0[environment] } }

  func note(_ tokens: [PushEnvironment: PushRegistration]) {
    digests.withLock { $0.merge(tokens.mapValues(Self.digest)) { $1 } }
  }

  static func digest(of registration: PushRegistration) -> [UInt8] {
    SHA256.digest(of: "\(registration.service.rawValue)\n\(registration.token.revealed)").bytes
  }
}
