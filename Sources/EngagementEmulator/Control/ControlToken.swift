import EngagementFormats
import EngagementModel
import EngagementVendors

/// What the control interface asks for.
enum ControlToken {
  /// 256 bits of the system's randomness.
  static func fresh() -> Secret {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return Secret(Base64URL.text(of: bytes))
  }

  /// Whether a call has it, told by its digest, so that how long it takes tells nothing of it.
  static func isIn(_ call: VendorRequest, _ token: Secret) -> Bool {
    let given = call.all("Authorization")
    guard given.count == 1 else { return false }
    return SHA256.digest(of: given[0]) == SHA256.digest(of: "Bearer \(token.revealed)")
  }
}
