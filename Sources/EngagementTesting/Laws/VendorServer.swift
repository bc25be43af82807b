public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementModel

/// A vendor in memory: it keeps its own state, refuses what the vendor refuses, de-duplicates what
/// the vendor de-duplicates, and counts what happened.
///
/// Write it from the vendor's protocol and not from the adapter: two opinions are the point.
public protocol VendorServer: Sendable {
  /// Answers as the vendor does.
  func answer(_ request: HTTPRequest) async -> HTTPResponse

  /// Adds items, the vendor's own bytes, after those of the feed that the user has. The bytes may
  /// be broken on purpose: they are listed as they are.
  func put(_ items: [[UInt8]], in feed: Feed, for user: User) async

  /// Takes all items of a feed away.
  func clear(_ feed: Feed, of user: User) async

  /// Everything that changed something, in order; what the vendor knows it has seen stands here
  /// once.
  var effects: [VendorEffect] { get async }

  /// How many devices were made so far; 0 for a vendor that has none.
  var registrations: Int { get async }

  /// Refuses from now on every credential and token that was used so far; later ones are good.
  func expireCredentials() async

  /// Whom a request speaks for, by what is in it and by what the vendor knows of the device; nil
  /// for nobody yet.
  func speaker(of request: HTTPRequest) async -> User?
}

/// Something that happened at a vendor.
public struct VendorEffect: Hashable, Sendable {
  /// What it was, in the vendor's words.
  public var name: String
  /// The vendor's id of the item that it happened to.
  public var item: String?
  /// Who did it, as the vendor knows them.
  public var user: User?
  /// The id that it came with.
  public var id: String?
  /// When it happened, in the vendor's count.
  public var time: Int64?

  public init(
    _ name: String, on item: String? = nil, by user: User?, id: String? = nil, time: Int64? = nil
  ) {
    self.name = name
    self.item = item
    self.user = user
    self.id = id
    self.time = time
  }
}
