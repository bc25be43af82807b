/// The faults between an adapter and its vendor. The same script always gives the same faults.
///
/// The kinds have the same names as in the emulator's fault scripts. Only the kinds that an
/// in-memory transport can produce are listed.
public struct FaultScript: Hashable, Sendable {
  public var faults: [Fault]

  public init(_ faults: [Fault] = []) { self.faults = faults }

  /// One fault, and the requests that it strikes.
  public struct Fault: Hashable, Sendable {
    public var kind: Kind
    /// A part of `METHOD path`; empty for every request.
    public var place: String
    /// The number of the first matching request that it strikes, from 1.
    public var from: Int
    /// How many requests it strikes; nil for all.
    public var times: Int?

    public init(_ kind: Kind, on place: String = "", from: Int = 1, times: Int? = 1) {
      self.kind = kind
      self.place = place
      self.from = from
      self.times = times
    }
  }

  /// The kind of a fault.
  @nonexhaustive public enum Kind: Hashable, Sendable {
    /// The vendor does nothing and answers with the status.
    case status(Int, retryAfter: String? = nil)
    /// The connection breaks before the vendor receives the request.
    case resetBefore
    /// The vendor executes the request, and its answer is lost.
    case resetAfter
    /// The answer arrives after this delay on the test's clock.
    case delay(Duration)
    /// Only this many bytes of the body arrive.
    case truncate(Int)
    /// The body is a JSON value of another kind than the vendor's.
    case wrongType
    /// The body contains bytes that are not UTF-8.
    case invalidUTF8
    /// The request arrives twice; the second answer counts.
    case duplicateRequest
  }
}
