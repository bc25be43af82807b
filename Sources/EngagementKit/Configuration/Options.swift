public import EngagementModel

extension Engagement {
  /// Optional settings of `Engagement.open`.
  public struct Options: Sendable {
    /// The name of the environment. The users of each environment have partitions of their own.
    public var environment: String
    /// Where secrets are kept; nil for a file of its own beside the cache, `<cache>.secrets`.
    public var secrets: (any SecretStore)?
    /// Who gets the log; by default warnings and errors go to standard error.
    public var loggers: [any EngagementLogger]
    public var clock: any EngagementClock
    /// Gives 64 random bits.
    public var random: @Sendable () -> UInt64
    public var limits: Limits
    /// How long recorded events are kept; by default all of them are.
    public var ledgerRetention: LedgerRetention
    /// What is done with the cache when it is opened.
    public var repair: CacheRepair
    public var presentations: Presentations
    /// The hosts whose images `imageFile(at:)` fetches and keeps, such as `images.example.com` or, for all
    /// hosts below one, `*.example.com`; by default none.
    public var imageHosts: [String]
    /// Converts still images that are neither JPEG nor PNG, which vendors do not take; without one they
    /// are refused.
    public var imageConverter: ImageConverter?

    /// Makes a JPEG of the bytes of a still image.
    public typealias ImageConverter = @Sendable ([UInt8]) async throws -> [UInt8]

    public init(
      environment: String = "production", secrets: (any SecretStore)? = nil,
      loggers: [any EngagementLogger] = [LinesLogger.standardError],
      clock: any EngagementClock = SystemClock(),
      random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
      limits: Limits = Limits(), ledgerRetention: LedgerRetention = LedgerRetention(),
      repair: CacheRepair = .ifDamaged,
      presentations: Presentations = Presentations(), imageHosts: [String] = [],
      imageConverter: ImageConverter? = nil
    ) {
      self.environment = environment
      self.secrets = secrets
      self.loggers = loggers
      self.clock = clock
      self.random = random
      self.limits = limits
      self.ledgerRetention = ledgerRetention
      self.repair = repair
      self.presentations = presentations
      self.imageHosts = imageHosts
      self.imageConverter = imageConverter
    }

    /// Which caches are set aside when they are opened. The files are kept under another name, and
    /// `recovery` says what was saved.
    public enum CacheRepair: Hashable, Sendable {
      /// A damaged cache is, and its pending actions and the routes that were set are saved.
      case ifDamaged
      /// A sound cache is too; vendors are asked for all items anew.
      case always
      /// A sound cache is too, and nothing of it is saved.
      case startingEmpty
    }

    /// How many rows the outbox holds. If it is full, the oldest analytics are dropped for newer
    /// rows; if there are none, actions are refused with `queueFull`.
    public struct Limits: Hashable, Sendable {
      public var rows: Int
      public var bytes: Int

      public init(rows: Int = 10_000, bytes: Int = 20_000_000) {
        self.rows = rows
        self.bytes = bytes
      }
    }
  }
}
