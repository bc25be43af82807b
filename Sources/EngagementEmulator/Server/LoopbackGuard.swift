import EngagementModel
import EngagementVendors

/// Refuses requests of other origins: a page of another origin must not reach a server that listens
/// here, neither directly nor by a name that it points at 127.0.0.1.
enum LoopbackGuard {
  /// The refusal of a request; nil for one that is allowed.
  static func refusal(of call: VendorRequest) -> VendorReply? {
    let hosts = call.all("Host")
    guard hosts.count == 1, isLoopback(authority: hosts[0]) else {
      return refuse("The Host of the request is not this machine")
    }
    guard call.all("Origin").allSatisfy(isLoopback(origin:)) else {
      return refuse("The Origin of the request is not this machine")
    }
    return nil
  }

  static func isLoopback(origin: String) -> Bool {
    for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
      return isLoopback(authority: String(origin.dropFirst(scheme.count)))
    }
    return false
  }

  /// `127.0.0.1`, `localhost` or `[::1]`, with or without a port.
  static func isLoopback(authority: String) -> Bool {
    guard authority.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    for name in ["127.0.0.1", "localhost", "[::1]"]
    where authority.lowercased().hasPrefix(name) {
      let rest = authority.utf8.dropFirst(name.utf8.count)
      guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty }
      return rest.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    return false
  }

  private static func refuse(_ reason: String) -> VendorReply {
    VendorReply(403, json: ["error": .string(reason)])
  }
}
