/// The faults between an adapter and its vendor, as a value: the same script gives the same faults
/// every time.
///
/// The kinds have the names that the emulator's fault scripts use. They are those that a transport
/// in memory can do.
public struct FaultScript: Hashable, Sendable {
  public var faults: [Fault]

  public init(_ faults: [Fault] = []) { self.faults = faults }

  /// One fault, and which requests it strikes.
  public struct Fault: Hashable, Sendable {
    public var kind: Kind
    /// A part of `METHOD path`; empty for every request.
    public var place: String
    /// The first of the matching requests that is struck, from 1.
    public var from: Int
    /// How many are struck; nil for all.
    public var times: Int?

    public init(_ kind: Kind, on place: String = "", from: Int = 1, times: Int? = 1) {
      self.kind = kind
      self.place = place
      self.from = from
      self.times = times
    }
  }

  /// What goes wrong.
  @nonexhaustive public enum Kind: Hashable, Sendable {
    /// The vendor does nothing and answers with the status.
    case status(Int, retryAfter: String? = nil)
    /// The connection breaks before the vendor receives the request.
    case resetBefore
    /// The vendor does what it is asked for, and the answer is lost.
    case resetAfter
    /// The answer comes that much later on the test's clock.
    case delay(Duration)
    /// Only so many bytes of the body arrive.
    case truncate(Int)
    /// The body is a JSON value of another kind than the vendor's.
    case wrongType
    /// There are bytes in the body that are not UTF-8.
    case invalidUTF8
    /// The request arrives twice; the second answer counts.
    case duplicateRequest
  }
}
