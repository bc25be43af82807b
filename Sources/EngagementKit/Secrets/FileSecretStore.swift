public import EngagementModel
import EngagementStore

extension Engagement {
  /// Keeps secrets in one file that only its owner can read.
  ///
  /// Several processes may share the file. Each change replaces the whole file, so neither a kill
  /// nor a power failure leaves half of it, and overwrites removed secrets.
  ///
  /// A damaged file, and anything that is no file, is set aside as `.damaged`, and the store is empty:
  /// vendors give new credentials, or the application does. A file that others can read throws
  /// `unreadable`, one of a newer version `newerSchema`. A call that waits too long for another process
  /// throws `busy`.
  public actor FileSecretStore: SecretStore {
    private let executor: StoreExecutor
    private let file: DurableFile
    private let wait: Duration
    private let onDamage: @Sendable (String) -> Void
    /// What was read last, of a file that has not changed since if it has this version.
    private var known: (version: DurableFile.Version, table: SecretTable)?

    /// Runs on a thread of its own, so that waiting for the disk does not block the shared pool.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    /// - Parameters:
    ///   - path: The file. It is created, with its folder, when the first secret is stored.
    ///   - wait: How long to wait for another process.
    public init(path: String, wait: Duration = .seconds(5)) throws(EngagementError) {
      try self.init(path: path, wait: wait) { _ in }
    }

    /// - Parameter onDamage: Told where a damaged file was set aside.
    init(
      path: String, wait: Duration = .seconds(5), onDamage: @escaping @Sendable (String) -> Void
    ) throws(EngagementError) {
      self.onDamage = onDamage
      file = try DurableFile(at: path, called: "file of secrets")
      executor = try StoreExecutor()
      self.wait = wait
    }

    public func secrets(of owner: SecretOwner) throws(EngagementError) -> [String: Secret] {
      try read().secrets(of: owner)
    }

    /// Reads the file once for all owners.
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
      // It may hold secrets of the user as well.
      file.removeDamaged()
    }

    private func read() throws(EngagementError) -> SecretTable {
      if let known, known.version == file.settledVersion() { return known.table }
      return try file.exclusively(within: wait) { () throws(EngagementError) in
        known = nil
        let version = file.settledVersion()
        let table = try table()
        if let version { known = (version, table) }
        return table
      }
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
      if try file.isReplaced() { return try setAside() }
      guard let bytes = try file.read() else { return SecretTable() }
      do throws(EngagementError) {
        return try SecretTable(bytes: bytes)
      } catch {
        guard error.code == .unreadable else { throw error }
        return try setAside()
      }
    }

    private func setAside() throws(EngagementError) -> SecretTable {
      try file.setAside()
      onDamage(file.damagedPath)
      return SecretTable()
    }
  }
}
