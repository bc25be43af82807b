import EngagementJSON
public import EngagementModel

/// What a vendor's server sends back.
public struct VendorReply: Sendable {
  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A reply in JSON.
  public init(_ status: Int = 200, json: JSON) {
    self.init(status, json: json.encoded())
  }

  /// A reply in JSON that is encoded already.
  public init(_ status: Int = 200, json: [UInt8]) {
    self.init(status, headers: [("Content-Type", "application/json")], body: json)
  }
}

extension VendorReply {
  /// A JSON array of items that are encoded already, or broken on purpose.
  public static func array(of items: [[UInt8]]) -> [UInt8] {
    Array("[".utf8) + items.joined(separator: Array(",".utf8)) + Array("]".utf8)
  }
}

/// What a vendor made of a request.
public struct VendorAnswer: Sendable {
  public var reply: VendorReply
  /// What the request changed, in order.
  public var effects: [VendorEffect]
  /// A few words for a reader of the record; no credential.
  public var summary: String

  public init(reply: VendorReply, effects: [VendorEffect] = [], summary: String = "") {
    self.reply = reply
    self.effects = effects
    self.summary = summary
  }
}

/// Something that happened at a vendor: what, to what, by whom.
///
/// Two effects are equal when the same thing happened twice: `id` and `time` do not count.
public struct VendorEffect: Sendable {
  /// The vendor's word for it, such as `ccd` for a dismissed Braze card.
  public var name: String
  /// What it was about: an item's id, an event's or an attribute's name. Empty where there is none.
  public var subject: String
  /// The user, as the vendor knows them; `anonymous:` and the device for one who is not signed in.
  public var user: String
  /// The id that the client gave it, for a vendor whose protocol has one.
  public var id: String?
  /// The time that the client gave it, in the vendor's count.
  public var time: Int64?

  public init(
    _ name: String, of subject: String = "", by user: String, id: String? = nil,
    time: Int64? = nil
  ) {
    self.name = name
    self.subject = subject
    self.user = user
    self.id = id
    self.time = time
  }
}

extension VendorEffect: Hashable {
  /// Whether name, subject and user have the same bytes: two ids may look alike and differ.
  public static func == (left: VendorEffect, right: VendorEffect) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.subject.hasSameBytes(as: right.subject)
      && left.user.hasSameBytes(as: right.user)
  }

  public func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
    subject.hashBytes(into: &hasher)
    user.hashBytes(into: &hasher)
  }
}
