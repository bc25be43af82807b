public import EngagementAdapterAPI
public import EngagementModel
public import EngagementPlatform

/// A vendor, as far as a client can tell: what it knows, and what it answers.
///
/// The emulator serves one on a port; the laws of `EngagementTesting` run an adapter against one.
/// It is a value. It reads no clock and no randomness but what it is given, so the same requests at
/// the same times give the same answers. Write it from the vendor's protocol and not from the
/// adapter, so that each checks the other.
public protocol VendorServer: Sendable {
  /// What a client can ask for, such as `POST /api/v3/data`.
  static var paths: [String] { get }

  /// A vendor with the items that the seed gives; nil for a vendor without items.
  init(seed: UInt64?, at now: Date)

  /// Does what a request asks for.
  mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer

  // MARK: What a marketer does

  /// The items in the vendor's own form.
  var items: [JSON] { get }

  /// Adds an item for every user, or changes the members that are given of one that is there.
  /// Returns it as it is now. Throws `invalidArgument` for what the vendor could not have.
  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON

  /// A made-up item for `put`, for a feed that is to have many; nil where the vendor takes no item of
  /// this number. Numbers begin at 0, and a higher one is an older item.
  static func madeUpItem(_ number: Int, at now: Date) -> JSON?

  /// Removes an item; false where there is none of that id.
  mutating func remove(_ id: String, at now: Date) -> Bool

  /// What a device is handed for a push.
  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON

  /// Changes how the vendor behaves. Throws `invalidArgument` naming the setting that is wrong.
  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError)

  // MARK: Web sockets

  /// Opens a socket for a request that asks for one; nil for a path without a socket, whose request
  /// is answered like any other. No two sockets have the same number.
  mutating func openSocket(
    _ socket: Int, for request: VendorRequest, at now: Date
  ) -> VendorSocketAnswer?

  /// Does what a client asks for by a text on an open socket.
  mutating func hear(_ text: String, on socket: Int, at now: Date) -> VendorHearing

  /// Forgets a socket that either side closed, or whose connection broke.
  mutating func socketClosed(_ socket: Int, at now: Date)

  /// What the vendor has to say by now, in order; it is returned once. The caller asks after every
  /// call of another function that changes the vendor, and when `nextMoment` has come.
  mutating func takeSocketOutput(at now: Date) -> [VendorSocketOutput]

  /// When the vendor next says something without being called; nil for never.
  var nextMoment: Date? { get }

  // MARK: What the laws need

  /// Adds items for one user after those that the feed has. They are the vendor's own bytes, may be
  /// broken or repeat an id on purpose, and are listed as they are.
  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date)

  /// Removes all items that one user has in a feed.
  mutating func clear(_ feed: Feed, of user: User, at now: Date)

  /// How many devices were registered so far; 0 for a vendor that registers none.
  var registrations: Int { get }

  /// Refuses from now on every credential and token that was used so far; later ones are good.
  mutating func expireCredentials(at now: Date)

  /// The user whom a request speaks for, by what is in it and by what the vendor knows of the
  /// device; nil while the vendor knows none.
  func user(of request: VendorRequest) -> User?
}

extension VendorServer {
  /// None.
  public var items: [JSON] { [] }

  /// Throws `unsupported`.
  public mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    throw EngagementError(.unsupported, "This vendor has no items")
  }

  /// None.
  public static func madeUpItem(_ number: Int, at now: Date) -> JSON? { nil }

  /// False.
  public mutating func remove(_ id: String, at now: Date) -> Bool { false }

  /// Throws `unsupported`.
  public mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON {
    throw EngagementError(.unsupported, "This vendor sends no pushes")
  }

  /// Knows no setting.
  public mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    _ = try SettingFields(settings, allowed: [])
  }

  /// Nil: the vendor has no sockets.
  public mutating func openSocket(
    _ socket: Int, for request: VendorRequest, at now: Date
  ) -> VendorSocketAnswer? { nil }

  /// Nothing.
  public mutating func hear(_ text: String, on socket: Int, at now: Date) -> VendorHearing {
    VendorHearing()
  }

  /// Nothing.
  public mutating func socketClosed(_ socket: Int, at now: Date) {}

  /// None.
  public mutating func takeSocketOutput(at now: Date) -> [VendorSocketOutput] { [] }

  /// Never.
  public var nextMoment: Date? { nil }

  /// 0.
  public var registrations: Int { 0 }

  /// Nothing: the vendor's credentials do not end.
  public mutating func expireCredentials(at now: Date) {}

  /// The answer for a path that the vendor does not have, or not with this method.
  public static func unknown(_ request: VendorRequest) -> VendorAnswer {
    VendorAnswer(
      reply: VendorReply(
        404,
        json: [
          "error": "There is nothing here", "paths": .array(paths.map(JSON.string)),
        ]),
      summary: "unknown path")
  }
}
