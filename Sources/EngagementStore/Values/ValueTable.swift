import EngagementAdapterAPI
import EngagementModel

/// The values of each provider: the installation's, and each user's.
struct ValueTable: ~Copyable {
  private var selection = Statement(
    """
    SELECT kind, name, value, seal FROM value
    WHERE partition = ? AND environment = ? AND provider = ?
    """)
  private var update = Statement(
    """
    INSERT INTO value (partition, environment, provider, kind, name, value, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (partition, environment, provider, kind, name)
    DO UPDATE SET value = excluded.value, seal = excluded.seal
    """)
  private var deletion = Statement(
    """
    DELETE FROM value
    WHERE partition = ? AND environment = ? AND provider = ? AND kind = ? AND name = ?
    """)
  private var erasing = Statement("DELETE FROM value WHERE partition = ?")
  private var providers = Statement(
    "SELECT DISTINCT provider FROM value WHERE partition = ? ORDER BY provider")

  private var known: [Place: ProviderMemory] = [:]

  /// The owner of values: a partition, or the installation, which is partition 0.
  private struct Place: Hashable {
    let partition: Partition.ID
    let environment: String
    let provider: ProviderID

    init(_ scope: Scope, _ provider: ProviderID, _ owner: Partition) {
      partition = scope == .installation ? 0 : owner.id
      environment = owner.environment
      self.provider = provider
    }

    /// The kit, which has no provider's name, for the installation.
    init(ofKitIn environment: String) {
      partition = 0
      self.environment = environment
      provider = ""
    }

    func checksum(_ kind: String, _ name: [UInt8], _ value: [UInt8]) -> Int64 {
      var checksum = RowChecksum(reservingCapacity: value.count + 128)
      checksum.add(partition)
      checksum.add(environment)
      checksum.add(provider.rawValue)
      checksum.add(kind)
      checksum.add(name)
      checksum.add(value)
      return Int64(bitPattern: checksum.value)
    }
  }

  mutating func forgetMemory() { known = [:] }

  /// Adds a value that a damaged cache still had.
  static let addition = """
    INSERT INTO value (partition, environment, provider, kind, name, value, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
    """

  /// The checksum of a value that the kit keeps for the installation.
  static func sealOfKit(_ environment: String, _ name: [UInt8], _ value: [UInt8]) -> Int64 {
    Place(ofKitIn: environment).checksum(MemoryEntry.Kind.value.rawValue, name, value)
  }

  /// Drops one user from memory.
  mutating func release(_ partition: Partition.ID) {
    known = known.filter { $0.key.partition != partition }
  }

  /// Everything that the cache remembers for a provider and a user.
  mutating func memory(
    of provider: ProviderID, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> ProviderMemory {
    var memory = try load(Place(.user, provider, partition), .user, on: &database)
    let shared = try load(Place(.installation, provider, partition), .installation, on: &database)
    memory.settings = shared.settings
    memory.add(shared.throttles)
    for (name, value) in shared.values.all(.installation) {
      memory.values[.installation, name] = value
    }
    return memory
  }

  /// Whether the change sets a new value.
  mutating func isNews(
    _ change: ValueChange, from provider: ProviderID, in partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    var memory = try memory(of: provider, in: partition, on: &database)
    return memory.remember(change.belonging(to: provider)) != nil
  }

  /// Writes the value; false if it is known already.
  mutating func remember(
    _ change: ValueChange, from provider: ProviderID, in partition: Partition,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    var memory = try memory(of: provider, in: partition, on: &database)
    guard let entry = memory.remember(change.belonging(to: provider)) else { return false }
    let place = Place(entry.scope, provider, partition)
    try write(entry, at: place, on: &database)
    known[place] = nil
    return true
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    release(partition)
    try database.run(&erasing, .integer(partition))
  }

  /// The providers with values of the user.
  mutating func providers(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ProviderID] {
    try database.all(&providers, .integer(partition)) { ProviderID($0.text(0)) }
  }

  private mutating func load(
    _ place: Place, _ scope: Scope, on database: inout Database
  ) throws(EngagementError) -> ProviderMemory {
    if let memory = known[place] { return memory }
    var memory = ProviderMemory()
    let entries = try database.all(
      &selection, .integer(place.partition), .text(place.environment),
      .text(place.provider.rawValue)
    ) { (kind: $0.text(0), name: $0.bytes(1), value: $0.bytes(2), seal: $0.integer(3)) }
    for entry in entries {
      guard let kind = MemoryEntry.Kind(rawValue: entry.kind),
        place.checksum(entry.kind, entry.name, entry.value) == entry.seal
      else { continue }
      memory.read(MemoryEntry(scope: scope, kind: kind, name: entry.name, value: entry.value))
    }
    // Rows of earlier versions may have a name that the adapter chose.
    memory.person?.provider = place.provider
    known[place] = memory
    return memory
  }

  private mutating func write(
    _ entry: MemoryEntry, at place: Place, on database: inout Database
  ) throws(EngagementError) {
    let kind = entry.kind.rawValue
    guard let value = entry.value else {
      return try database.run(
        &deletion, .integer(place.partition), .text(place.environment),
        .text(place.provider.rawValue), .text(kind), .blob(entry.name))
    }
    try database.run(
      &update, .integer(place.partition), .text(place.environment), .text(place.provider.rawValue),
      .text(kind), .blob(entry.name), .utf8(value[...]),
      .integer(place.checksum(kind, entry.name, value)))
  }
}

extension ValueChange {
  /// The change with the provider's id on a person: adapters do not know the id.
  fileprivate func belonging(to provider: ProviderID) -> ValueChange {
    guard case .person(var person?) = self else { return self }
    person.provider = provider
    return .person(person)
  }
}
