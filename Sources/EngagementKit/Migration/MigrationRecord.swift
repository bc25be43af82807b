import EngagementAdapterAPI
import EngagementFormats
public import EngagementModel
public import EngagementPlatform
import EngagementStore

extension Engagement {
  /// A step of a migration, as it is kept.
  public struct MigrationStep: Hashable, Sendable {
    public let from: MigrationStage
    public let to: MigrationStage
    public let date: Date
    /// Who asked for it; nil: the migration itself.
    public let by: String?
    public let why: String?
    /// Whether it was made although a gate did not hold.
    public let isForced: Bool
    /// The gates of the stage that was left, as they were.
    public let gates: [MigrationGate]
  }
}

/// What the cache keeps of the migration of a surface.
struct MigrationRecord: Hashable, Sendable {
  var plan: Engagement.MigrationPlan
  let surface: RoutedSurface
  var stage = Engagement.MigrationStage.off
  /// How many steps were made: a step is made from what was looked at, or not at all.
  var count = 0
  /// The route that was set at run time before the first step; nil: the configured one.
  var former: Route?
  /// The last entry of the ledger before this stage.
  var sequence: Int64 = 0
  /// What had become of the new provider's actions before this stage.
  var outcomes = Outcomes()
  /// What the old provider's requests were like before people moved.
  var baseline: Requests?
  /// The latest steps, the last one at the end.
  var steps: [Engagement.MigrationStep] = []

  private static let mostSteps = 20

  init(_ plan: Engagement.MigrationPlan, of surface: RoutedSurface) {
    self.plan = plan
    self.surface = surface
  }

  /// Accepted actions that have ended.
  struct Outcomes: Hashable, Sendable {
    var taken: Int64 = 0
    var lost: Int64 = 0
  }

  struct Requests: Hashable, Sendable {
    var count = 0
    /// The share of those that failed.
    var errors = 0.0
    /// The median in milliseconds; nil if none was answered.
    var latency: Double?
  }

  /// Whether the migration decides the surface's route.
  var isUnderWay: Bool { stage.kind != .off && stage.kind != .removed }

  /// The stages from `off` to `removed`.
  var stages: [Engagement.MigrationStage] {
    [.off] + (plan.move(of: surface.surface)?.stages ?? [])
  }

  /// The next stage forwards; nil at the end.
  var next: Engagement.MigrationStage? { neighbour(1) }

  /// The next stage backwards; nil at the beginning.
  var previous: Engagement.MigrationStage? { neighbour(-1) }

  /// Whether the last step went back. Then somebody has to look before it moves on again.
  var wentBack: Bool { steps.last.map { $0.to.order < $0.from.order } ?? false }

  /// The last stage in which nobody has moved.
  var retreat: Engagement.MigrationStage { stages.last { $0.percent == 0 } ?? .off }

  private func neighbour(_ distance: Int) -> Engagement.MigrationStage? {
    guard let index = stages.firstIndex(of: stage), stages.indices.contains(index + distance)
    else { return nil }
    return stages[index + distance]
  }

  mutating func note(_ step: Engagement.MigrationStep) {
    stage = step.to
    count += 1
    steps = (steps + [step]).suffix(Self.mostSteps)
  }

  // MARK: In the cache

  private static let prefix = "migration."

  /// The beginnings of the names of all that is stored of migrations.
  static let savedNames = [prefix, Store.keepsUnlistedContents]

  var key: String { Self.key(of: surface) }

  static func key(of surface: RoutedSurface) -> String { prefix + surface.rawValue }

  /// The migrations that the cache keeps, in the order of the surfaces.
  static func all(in memory: ProviderMemory) -> [MigrationRecord] {
    RoutedSurface.allCases.compactMap { of($0, in: memory) }
  }

  /// Nil if there is none, or none that can be read.
  static func of(_ surface: RoutedSurface, in memory: ProviderMemory) -> MigrationRecord? {
    guard !isBroken(surface, in: memory) else { return nil }
    return memory.json(.installation, key(of: surface)).flatMap { MigrationRecord($0, of: surface) }
  }

  // MARK: Records that cannot be read

  private static let sealsName = prefix + "seals"

  /// The change that seals what is stored of the surfaces' migrations.
  static func sealing(_ surfaces: [RoutedSurface], in memory: ProviderMemory) -> Change {
    ValueSeals(sealsName, in: memory).change(surfaces.map(key), in: memory)
  }

  /// Whether the stored migration is gone or another one than was stored.
  private static func isBroken(_ surface: RoutedSurface, in memory: ProviderMemory) -> Bool {
    ValueSeals(sealsName, in: memory).isBroken(key(of: surface), in: memory)
  }

  /// The surfaces whose migration cannot be read.
  static func unreadable(in memory: ProviderMemory) -> [RoutedSurface] {
    RoutedSurface.allCases.filter { fault(of: $0, in: memory) != nil }
  }

  /// Why a stored migration cannot be read, and what to do about it.
  struct Fault: Hashable, Sendable {
    let reason: String
    /// Whether no release can read it.
    let isDamage: Bool

    var advice: String {
      let cause =
        isDamage ? "no release can read it: forget" : "use the release that stored it, or forget"
      return "Its route holds and nothing of it changes here; \(cause) the migration, after which "
        + "the configured route holds."
    }

    var text: String { "\(reason) \(advice)" }
  }

  /// Why the migration of the surface cannot be read; nil if it can, or if there is none.
  static func fault(of surface: RoutedSurface, in memory: ProviderMemory) -> Fault? {
    let name = surface.rawValue
    func damage(_ reason: String) -> Fault { Fault(reason: reason, isDamage: true) }
    guard memory.values[.installation, key(of: surface)] != nil else {
      return isBroken(surface, in: memory)
        ? damage("The stored migration of \(name) is lost with a damaged row.") : nil
    }
    guard let json = memory.json(.installation, key(of: surface)) else {
      return damage("The stored migration of \(name) is damaged: it is no JSON.")
    }
    guard MigrationRecord(json, of: surface) != nil else {
      return Fault(
        reason: "A later release has stored the migration of \(name), and this one cannot read it.",
        isDamage: false)
    }
    return isBroken(surface, in: memory)
      ? damage("The stored migration of \(name) is damaged: its seal does not hold.") : nil
  }

  var json: JSON {
    var object: JSONObject = [
      "plan": plan.json, "stage": stage.json, "count": .integer(Int64(count)),
      "sequence": .integer(sequence), "taken": .integer(outcomes.taken),
      "lost": .integer(outcomes.lost), "steps": .array(steps.map(\.json)),
    ]
    object["former"] = former?.json
    object["baseline"] = baseline.map { baseline in
      var object: JSONObject = [
        "count": .integer(Int64(baseline.count)), "errors": .number(baseline.errors),
      ]
      object["latency"] = baseline.latency.map(JSON.number)
      return .object(object)
    }
    return .object(object)
  }

  /// Nil for a value that a later release has written, also if only a step or the former route is of it:
  /// what is not read is lost when the record is written again.
  private init?(_ json: JSON, of surface: RoutedSurface) {
    guard let object = json.object, let document = object["plan"],
      let plan = try? Engagement.MigrationPlan(json: document),
      let stage = try? Engagement.MigrationStage(object["stage"] ?? .null, "stage")
    else { return nil }
    self.init(plan, of: surface)
    self.stage = stage
    count = Int(object["count"]?.integer ?? 0)
    sequence = object["sequence"]?.integer ?? 0
    outcomes = Outcomes(
      taken: object["taken"]?.integer ?? 0, lost: object["lost"]?.integer ?? 0)
    if let json = object["former"] {
      guard let route = try? Route(json: json) else { return nil }
      former = route
    }
    baseline = object["baseline"]?.object.map {
      Requests(
        count: Int($0["count"]?.integer ?? 0), errors: $0["errors"]?.number ?? 0,
        latency: $0["latency"]?.number)
    }
    let kept = object["steps"]?.array ?? []
    steps = kept.compactMap(Engagement.MigrationStep.init(json:))
    guard steps.count == kept.count else { return nil }
  }
}

extension Engagement.MigrationStep {
  /// The step as the ledger and the cache have it.
  public var json: JSON {
    var object: JSONObject = [
      "from": from.json, "to": to.json, "forced": .bool(isForced),
      "gates": .array(gates.map(\.json)),
    ]
    object["date"] = ISO8601.text(of: date).map(JSON.string)
    object["by"] = by.map(JSON.string)
    object["why"] = why.map(JSON.string)
    return .object(object)
  }

  fileprivate init?(json: JSON) {
    guard let object = json.object,
      let from = try? Engagement.MigrationStage(object["from"] ?? .null, "from"),
      let to = try? Engagement.MigrationStage(object["to"] ?? .null, "to"),
      let date = object["date"]?.string.flatMap({ ISO8601.date(from: $0) })
    else { return nil }
    let kept = object["gates"]?.array ?? []
    let gates = kept.compactMap(Engagement.MigrationGate.init(json:))
    guard gates.count == kept.count else { return nil }
    self.init(
      from: from, to: to, date: date, by: object["by"]?.string, why: object["why"]?.string,
      isForced: object["forced"]?.bool ?? false, gates: gates)
  }
}

extension Engagement.MigrationGate {
  public var json: JSON {
    var object: JSONObject = [
      "figure": .string(figure.rawValue), "limit": Engagement.MigrationFigure.json(limit),
      "holds": .bool(holds), "source": .string(source ?? Self.here),
    ]
    object["value"] = value.map(Engagement.MigrationFigure.json)
    return .object(object)
  }

  /// The source of a figure of this installation.
  private static let here = "installation"

  fileprivate init?(json: JSON) {
    guard let object = json.object,
      let figure = object["figure"]?.string.flatMap(Engagement.MigrationFigure.init(rawValue:)),
      let limit = object["limit"]?.number
    else { return nil }
    let source = object["source"]?.string
    self.init(
      figure: figure, limit: limit, value: object["value"]?.number,
      source: source == Self.here ? nil : source)
  }
}
