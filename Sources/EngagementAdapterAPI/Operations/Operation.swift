public import EngagementModel

/// One request to a vendor in neutral terms. It is a value: the kit sends, stores, prints and
/// replays it.
///
/// An operation contains no credential and no push token. The context of each attempt has those, so
/// a queued operation never uses a stale one.
@nonexhaustive public enum Operation: Hashable, Sendable {
  /// Fetches the vendor's configuration, which other operations need.
  case settings
  case device(DeviceChange)
  /// Registers the context's push token for the environment.
  case registerPush(PushEnvironment)
  case unregisterPush(PushEnvironment)
  /// Chooses the containers whose cards may send pushes to this installation, none if there are
  /// none. `notifications` says whether pushes are sent at all; nil leaves that as it is.
  case pushContainers([ContainerID], notifications: Bool?)
  /// The cards of a container; nil for a vendor without containers.
  case cards(in: ContainerID?, matching: [CardFilter])
  case inbox
  /// One message by the vendor's id.
  case message(String)
  case person
  /// Associates the device with the application's id of a person.
  case associate(UserID)
  case updatePerson(PersonUpdate)
  case metrics
  case campaigns
  case act(ItemAction, on: ItemReference)
  /// Reports events with the same batch key, in order.
  case events([EngagementEvent])
  /// Sends the application's template definitions to the vendor's dashboard.
  case templates([Template])
  case upload(Upload)
  /// Sets whether the user opts out of all data collection by the vendor.
  case optOut(Bool)
  /// An operation that only one vendor has, under the adapter's own name.
  case vendor(String, JSON)

  /// A change to the vendor's record of this installation.
  public enum DeviceChange: String, Hashable, Sendable, CaseIterable {
    case register, renew, update, unregister
  }

  /// A file that a user chose for a card. The context of an attempt has its bytes, and the operation's
  /// own id is the file's: the submission that follows has it among its values.
  public struct Upload: Hashable, Sendable {
    public var fileName: String
    public var contentType: String
    /// SHA-256 of the bytes in lower-case hex.
    public var digest: String
    public var byteCount: Int
    /// The vendor's storage place for the file.
    public var bucket: String?
    public var item: ItemReference
    /// The key of the submission that names the file. Without the file it is not sent.
    public var submission: OperationKey

    public init(
      fileName: String, contentType: String, digest: String, byteCount: Int,
      bucket: String? = nil, item: ItemReference, submission: OperationKey
    ) {
      self.fileName = fileName
      self.contentType = contentType
      self.digest = digest
      self.byteCount = byteCount
      self.bucket = bucket
      self.item = item
      self.submission = submission
    }
  }
}
