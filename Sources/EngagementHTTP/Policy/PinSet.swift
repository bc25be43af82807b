public import EngagementModel

public import struct FoundationEssentials.Date

/// The pins of a host: a chain of certificates must hold one of the keys.
///
/// Pins come on top of the usual checks of certificate and host name and never replace them.
public struct PinSet: Hashable, Sendable {
  /// What a chain without a pinned key leads to.
  public enum Enforcement: Hashable, Sendable {
    /// The request is refused before a byte of it is sent.
    case refuse
    /// The request goes on and the mismatch is reported.
    case reportOnly
  }

  /// What is worth telling whoever configured the pins.
  public enum Warning: Hashable, Sendable {
    /// There is one key alone: when it is lost or replaced, the host is out of reach.
    case noBackup
  }

  /// What a chain comes to.
  public enum Verdict: Hashable, Sendable {
    case matched
    /// The pins have expired and were not looked at.
    case expired
    case mismatched(Enforcement)

    /// Whether the request may be sent.
    public var permits: Bool { self != .mismatched(.refuse) }
  }

  /// The pins without repetitions, in their order; at least one.
  public let pins: [Pin]
  /// The instant from which the pins are ignored, so that an application that is never updated
  /// can still reach its vendor.
  public let expires: Date?
  public let enforcement: Enforcement

  /// Throws `invalidConfiguration` where there is no pin: nothing could ever match.
  public init(
    _ pins: [Pin], expires: Date? = nil, enforcement: Enforcement = .refuse
  ) throws(EngagementError) {
    guard !pins.isEmpty else {
      throw EngagementError(.invalidConfiguration, "Pinning needs at least one pin, better two.")
    }
    var seen: Set<Pin> = []
    self.pins = pins.filter { seen.insert($0).inserted }
    self.expires = expires
    self.enforcement = enforcement
  }

  /// Reads pins as `Pin` does. The error says which of them is wrong by its place, counted from
  /// one, and not what it says.
  public init(
    parsing texts: [String], expires: Date? = nil, enforcement: Enforcement = .refuse
  ) throws(EngagementError) {
    var pins: [Pin] = []
    for (index, text) in texts.enumerated() {
      do { pins.append(try Pin(text)) } catch {
        throw EngagementError(
          .invalidConfiguration, "Pin \(index + 1) of \(texts.count): \(error.message)")
      }
    }
    try self.init(pins, expires: expires, enforcement: enforcement)
  }

  /// What is doubtful about the configuration though it works.
  public var warnings: [Warning] { pins.count == 1 ? [.noBackup] : [] }

  /// Judges a verified chain by the SHA-256 of each certificate's key: any of them may match,
  /// not the server's own alone.
  public func verdict(onChain keys: [[UInt8]], at now: Date) -> Verdict {
    if let expires, now >= expires { return .expired }
    return pins.contains { keys.contains($0.sha256) } ? .matched : .mismatched(enforcement)
  }
}
