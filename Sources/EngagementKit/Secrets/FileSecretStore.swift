public import EngagementModel
import EngagementStore

extension Engagement {
  /// Keeps secrets in one file that only its owner can read, beside the cache or elsewhere.
  ///
  /// Any number of processes may share the file. It is replaced as a whole, so that no kill and no
  /// power failure leaves half of it, and what is forgotten is overwritten. It is never taken for
  /// empty: a link, a file that others can reach, or one that is not what was written is
  /// `unreadable`; one of a newer version is `newerSchema`. A process that waits for another longer
  /// than it may throws `busy`.
  public actor FileSecretStore: SecretStore {
    private let executor: StoreExecutor
    private let file: DurableFile
    private let wait: Duration

    /// A thread of its own, so that no wait for the disk blocks the shared pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// Names the file; it is made, with its folder, when the first secret is kept.
    public init(path: String, wait: Duration = .seconds(5)) throws(EngagementError) {
      file = try DurableFile(at: path, called: "file of secrets")
      executor = try StoreExecutor()
      self.wait = wait
    }

    public func secrets(of owner: SecretOwner) throws(EngagementError) -> [String: Secret] {
      try read().secrets(of: owner)
    }

    /// All of them out of one reading of the file.
    public func secrets(
      of owners: [SecretOwner]
    ) throws(EngagementError) -> [SecretOwner: [String: Secret]] {
      let table = try read()
      return Dictionary(owners.map { ($0, table.secrets(of: $0)) }) { first, _ in first }
    }

    public func set(
      _ secrets: [String: Secret?], of owner: SecretOwner
    ) throws(EngagementError) {
      try change { (table) throws(EngagementError) in try table.set(secrets, of: owner) }
    }

    public func removeAll(of user: User, in environment: String) throws(EngagementError) {
      try change { (table) throws(EngagementError) in
        table.removeAll(of: user, in: environment)
      }
    }

    private func read() throws(EngagementError) -> SecretTable {
      try file.exclusively(within: wait) { () throws(EngagementError) in try table() }
    }

    private func change(
      _ body: (inout SecretTable) throws(EngagementError) -> Void
    ) throws(EngagementError) {
      try file.exclusively(within: wait) { () throws(EngagementError) in
        let old = try table()
        var new = old
        try body(&new)
        guard new != old else { return }
        try file.replace(with: new.bytes)
      }
    }

    private func table() throws(EngagementError) -> SecretTable {
      guard let bytes = try file.read() else { return SecretTable() }
      return try SecretTable(bytes: bytes)
    }
  }
}
