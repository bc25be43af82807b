import EngagementModel

public import struct FoundationEssentials.Date

/// One request that a vendor's server was asked, and what became of it.
///
/// No credential is in it: no header and no query, and a push token only as its fingerprint.
public struct EmulatorRequest: Hashable, Sendable {
  /// From 1, in the order in which the requests came, over all vendors.
  public var number: Int
  /// When it came, by the vendors' clock.
  public var time: Date
  public var vendor: String
  public var method: String
  /// The `Host` that it was sent to, which tells one origin of this server from another.
  public var host: String
  /// The names, in lower case, of the headers that carried a credential; none of their values.
  public var credentials: [String]
  /// The path as it was sent, without the query.
  public var path: String
  /// The status of the answer; nil where the connection broke without one.
  public var status: Int?
  /// What it changed at the vendor, in order; empty for what only reads or was refused.
  public var effects: [EmulatorEffect]
  /// The length of its body.
  public var bytes: Int
  /// What it was about, in a few words for a reader.
  public var summary: String
  /// The fault that struck it.
  public var fault: String?
}

/// Something that happened at a vendor: what, to what, by whom. Two of them are equal when the
/// same thing happened twice.
public struct EmulatorEffect: Sendable {
  /// The vendor's word for it, such as `ccd` for a dismissed Braze card.
  public var name: String
  /// What it was about: an item's id, an event's or an attribute's name. Empty where there is none.
  public var subject: String
  /// The user, as the vendor knows them; `anonymous:` and the device for one who is not signed in.
  public var user: String

  public init(_ name: String, of subject: String = "", by user: String) {
    self.name = name
    self.subject = subject
    self.user = user
  }
}

extension EmulatorEffect: Hashable {
  /// Whether all parts have the same bytes: two ids may look alike and differ.
  public static func == (left: EmulatorEffect, right: EmulatorEffect) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.subject.hasSameBytes(as: right.subject)
      && left.user.hasSameBytes(as: right.user)
  }

  public func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
    subject.hashBytes(into: &hasher)
    user.hashBytes(into: &hasher)
  }
}
