public import EngagementModel

/// One thing asked of a vendor. A value: sent now, kept in the outbox, printed, replayed.
///
/// An operation carries no credential and no push token; those are in the context of each
/// attempt, so that a queued operation never goes out with a stale one.
@nonexhaustive public enum Operation: Hashable, Sendable {
  /// What the vendor has to say before anything else: a configuration, a handshake.
  case settings
  case device(DeviceChange)
  /// Tells the vendor the token that the context holds for the environment.
  case registerPush(PushEnvironment)
  case unregisterPush(PushEnvironment)
  /// The cards of a container; nil for a vendor without containers.
  case cards(in: ContainerID?, matching: [CardFilter])
  case inbox
  /// One message by the vendor's id.
  case message(String)
  case person
  /// Ties the device to the application's id of a person.
  case associate(UserID)
  case updatePerson(PersonUpdate)
  case metrics
  case campaigns
  case act(ItemAction, on: ItemReference)
  /// Events of one batch key, in order.
  case events([EngagementEvent])
  /// The application's definitions, for the vendor's dashboard.
  case templates([Template])
  case upload(Upload)
  /// Whether the vendor may keep data about the user at all.
  case optOut(Bool)
  /// What only one vendor has, by the adapter's own name.
  case vendor(String, JSON)

  /// What becomes of the vendor's record of this installation.
  public enum DeviceChange: String, Hashable, Sendable, CaseIterable {
    case register, renew, update, unregister
  }

  /// A file that a user chose for a card; the bytes are in the file cache under the digest.
  public struct Upload: Hashable, Sendable {
    public var fileName: String
    public var contentType: String
    /// SHA-256 of the bytes in lower-case hex.
    public var digest: String
    public var byteCount: Int
    /// Where the vendor wants it.
    public var bucket: String?
    public var item: ItemReference

    public init(
      fileName: String, contentType: String, digest: String, byteCount: Int,
      bucket: String? = nil, item: ItemReference
    ) {
      self.fileName = fileName
      self.contentType = contentType
      self.digest = digest
      self.byteCount = byteCount
      self.bucket = bucket
      self.item = item
    }
  }
}
