import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// One value in the form of its row.
struct MemoryEntry {
  var scope: Scope
  var kind: Kind
  var name: [UInt8] = []
  /// Nil to forget the value.
  var value: [UInt8]?

  enum Kind: String {
    case value, person, metrics, settings, throttle
  }
}

extension ProviderMemory {
  /// Remembers the value; nil if it is known already.
  mutating func remember(_ change: ValueChange) -> MemoryEntry? {
    let before = self
    let entry = note(change)
    return self == before ? nil : entry
  }

  private mutating func note(_ change: ValueChange) -> MemoryEntry {
    switch change {
    case .keep(let scope, let name, let value):
      values[scope, name] = value
      return MemoryEntry(
        scope: scope, kind: .value, name: Array(name.utf8), value: value.map { Array($0.utf8) })
    case .person(let person):
      self.person = person
      return MemoryEntry(scope: .user, kind: .person, value: person?.json.encoded())
    case .metrics(let metrics):
      self.metrics = metrics
      return MemoryEntry(scope: .user, kind: .metrics, value: metrics.json.encoded())
    case .settings(let new):
      settings.merge(new)
      return MemoryEntry(scope: .installation, kind: .settings, value: settings.json.encoded())
    case .throttled(let verb, let date):
      return noteThrottle(verb, until: date, of: .user)
    case .paused(let date): return noteThrottle(nil, until: date, of: .installation)
    }
  }

  private mutating func noteThrottle(
    _ verb: Operation.Verb?, until date: Date, of scope: Scope
  ) -> MemoryEntry {
    let milliseconds = date.storedMilliseconds
    throttle(verb, until: milliseconds, of: scope)
    return MemoryEntry(
      scope: scope, kind: .throttle, name: verb.map { Array($0.rawValue.utf8) } ?? [],
      value: Array("\(milliseconds)".utf8))
  }

  /// Adds the value of a row. An unreadable row is ignored.
  mutating func read(_ entry: MemoryEntry) {
    guard let value = entry.value else { return }
    let text = String(decoding: value, as: UTF8.self)
    let name = String(decoding: entry.name, as: UTF8.self)
    switch entry.kind {
    case .value: values[entry.scope, name] = text
    case .throttle:
      guard let milliseconds = Int64(text) else { return }
      throttle(name.isEmpty ? nil : Operation.Verb(name), until: milliseconds, of: entry.scope)
    case .person:
      guard let json = try? JSON(parsing: value) else { return }
      person = try? Person(json: json)
    case .metrics:
      guard let json = try? JSON(parsing: value) else { return }
      metrics = try? CardMetrics(json: json)
    case .settings:
      guard let json = try? JSON(parsing: value) else { return }
      settings = (try? VendorSettings(json: json)) ?? settings
    }
  }

  private mutating func throttle(
    _ verb: Operation.Verb?, until milliseconds: Int64, of scope: Scope
  ) {
    guard let until = Epoch.date(milliseconds: milliseconds) else { return }
    throttles.removeAll { $0.verb == verb && $0.scope == scope }
    add([Throttle(verb, until: until, of: scope)])
  }

  /// Adds pauses of another verb or scope, in one order: equal memories are equal values.
  mutating func add(_ others: [Throttle]) {
    throttles += others
    throttles.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

extension ProviderMemory.Throttle {
  fileprivate var name: String { "\(verb?.rawValue ?? "") \(scope.rawValue)" }
}
