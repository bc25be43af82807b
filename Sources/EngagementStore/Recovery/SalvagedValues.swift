import EngagementAdapterAPI
import EngagementModel

/// The kit's own values of the installation that a damaged cache still has, such as the routes that were
/// set at run time.
struct SalvagedValues {
  /// The values whose checksum is right.
  private(set) var values: Set<Value> = []
  /// Whether any value that was found is damaged, or is there twice with different contents.
  private(set) var areDamaged = false
  /// The beginnings of the names that are saved.
  private let prefixes: [String]

  struct Value: Hashable {
    let environment: String
    let name: [UInt8]
    let value: [UInt8]
  }

  init(_ prefixes: [String]) { self.prefixes = prefixes }

  /// Notes a record with the columns of the values, in their order in the file.
  mutating func note(_ record: PageRecord) {
    guard record.fields.count == 7, record.integer(0) == 0, let environment = record.text(1),
      record.bytes(2) == [], record.text(3) == MemoryEntry.Kind.value.rawValue,
      case .blob(let name) = record.fields[4],
      prefixes.contains(where: { name.starts(with: $0.utf8) })
    else { return }
    guard let value = record.bytes(5),
      ValueTable.sealOfKit(environment, name, value) == record.integer(6),
      !values.contains(where: {
        $0.environment == environment && $0.name == name && $0.value != value
      })
    else {
      areDamaged = true
      return
    }
    values.insert(Value(environment: environment, name: name, value: value))
  }

  /// Adds the values to a fresh cache, in its transaction. Those that are there already stay.
  func add(on fresh: inout Database) throws(EngagementError) {
    for value in values {
      var addition = Statement(ValueTable.addition)
      try fresh.run(
        &addition, .integer(0), .text(value.environment), .text(""),
        .text(MemoryEntry.Kind.value.rawValue), .blob(value.name), .utf8(value.value[...]),
        .integer(ValueTable.sealOfKit(value.environment, value.name, value.value)))
    }
  }
}
