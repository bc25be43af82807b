import EngagementFormats
public import EngagementModel
public import EngagementPlatform

/// An open web socket of a vendor.
public struct EmulatorSocket: Hashable, Sendable {
  /// From 1, in the order in which they were opened, over all vendors. No number is used again.
  public var number: Int
  public var vendor: String
  /// The path of the request that opened it, without the query.
  public var path: String
  /// When it was opened, by the vendors' clock.
  public var openedAt: Date
  /// How many texts the client has sent.
  public var received = 0
  /// How many texts the vendor has said, as far as no fault kept them back.
  public var sent = 0
}

extension EmulatorSocket {
  /// The socket as the control interface lists it.
  public var json: JSON {
    [
      "number": .integer(Int64(number)), "vendor": .string(vendor), "path": .string(path),
      "opened": ISO8601.text(of: openedAt).map(JSON.string) ?? .null,
      "received": .integer(Int64(received)), "sent": .integer(Int64(sent)),
    ]
  }
}
