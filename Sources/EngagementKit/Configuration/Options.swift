extension Engagement {
  /// Optional settings of `Engagement.open`.
  public struct Options: Sendable {
    /// The name of the environment. The users of each environment have partitions of their own.
    public var environment: String
    /// Where secrets are kept; nil for a file of its own beside the cache, `<cache>.secrets`.
    public var secrets: (any SecretStore)?
    public var loggers: [any EngagementLogger]
    public var clock: any EngagementClock
    /// Gives 64 random bits.
    public var random: @Sendable () -> UInt64
    public var limits: Limits

    public init(
      environment: String = "production", secrets: (any SecretStore)? = nil,
      loggers: [any EngagementLogger] = [], clock: any EngagementClock = SystemClock(),
      random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
      limits: Limits = Limits()
    ) {
      self.environment = environment
      self.secrets = secrets
      self.loggers = loggers
      self.clock = clock
      self.random = random
      self.limits = limits
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
