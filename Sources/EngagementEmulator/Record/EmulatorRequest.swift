import EngagementModel
public import EngagementPlatform
public import EngagementVendors

/// One request that a vendor's server was asked, or one text that it heard on a web socket, and what
/// became of it.
///
/// No credential is in it: no header and no query, and a push token only as its fingerprint.
public struct EmulatorRequest: Hashable, Sendable {
  /// From 1, in the order in which the requests came, over all vendors.
  public var number: Int
  /// When it came, by the vendors' clock.
  public var time: Date
  public var vendor: String
  /// `MESSAGE` for a text on a web socket.
  public var method: String
  /// The `Host` that it was sent to, which tells one origin of this server from another.
  public var host: String
  /// The names, in lower case, of the headers that carried a credential; none of their values.
  public var credentials: [String]
  /// The path as it was sent, without the query; for a text, that of the socket.
  public var path: String
  /// The status of the answer; nil where the connection broke without one, and for a text.
  public var status: Int?
  /// What it changed at the vendor, in order; empty for what only reads or was refused.
  public var effects: [VendorEffect]
  /// The length of its body, or of the text.
  public var bytes: Int
  /// What it was about, in a few words for a reader.
  public var summary: String
  /// The fault that struck it.
  public var fault: String?
  /// What the fault did to the bytes of the answer; nil where none struck.
  public var alteration: Alteration?
  /// The number of the web socket that the request opened or the text came on.
  public var socket: Int?

  /// Whether it is a text on a web socket.
  public var isMessage: Bool { method == Self.messageMethod }

  static let messageMethod = "MESSAGE"

  /// An answer on the wire, compared with the one that the client would have got without the fault.
  public struct Alteration: Hashable, Sendable {
    /// Whether the bytes differ. A delay changes none.
    public var differs: Bool
    /// The body that the client would have got: `object`, `array`, `other` or `empty`.
    public var body: String
  }
}
