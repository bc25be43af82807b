public import EngagementModel
public import EngagementPlatform

/// The pins of a host: one certificate of its chain must have one of these keys.
///
/// Pins add to the usual checks of certificate and host name and never replace them.
public struct PinSet: Hashable, Sendable {
  /// What to do if no key of a chain is pinned.
  public enum Enforcement: Hashable, Sendable {
    /// Refuse the request before a byte of it is sent.
    case refuse
    /// Send the request and report the mismatch.
    case reportOnly
  }

  /// A weakness of a valid configuration.
  public enum Warning: Hashable, Sendable {
    /// There is only one key. If it is lost or replaced, the host is unreachable.
    case noBackup
  }

  /// The result of comparing a chain with the pins.
  public enum Verdict: Hashable, Sendable {
    case matched
    /// The pins have expired and were not compared.
    case expired
    case mismatched(Enforcement)

    /// Whether the request may be sent.
    public var permits: Bool { self != .mismatched(.refuse) }
  }

  /// The pins without duplicates, in their order; at least one.
  public let pins: [Pin]
  /// The instant from which the pins are ignored, so that an application without updates can still
  /// reach its vendor.
  public let expires: Date?
  public let enforcement: Enforcement

  /// Throws `invalidConfiguration` for an empty list, which no chain could match.
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

  /// Reads pins as `Pin` does. An error gives the position of the wrong pin, counted from one, and
  /// not its text.
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

  /// The weaknesses of this configuration.
  public var warnings: [Warning] { pins.count == 1 ? [.noBackup] : [] }

  /// Compares a verified chain, given as the SHA-256 of each certificate's key. Any certificate may
  /// match, not only the server's own.
  public func verdict(onChain keys: [[UInt8]], at now: Date) -> Verdict {
    if let expires, now >= expires { return .expired }
    return pins.contains { keys.contains($0.sha256) } ? .matched : .mismatched(enforcement)
  }
}
