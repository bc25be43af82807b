import EngagementFormats
public import EngagementModel
import EngagementPlatform

extension Engagement.MigrationPlan {
  private static let members = [
    "from", "to", "surfaces", "gates", "takesBack", "isAutomatic", "drainsUntil",
  ]

  /// The plan as a document writes it.
  public var json: JSON {
    var object: JSONObject = [
      "from": .string(from.rawValue), "to": .string(to.rawValue),
      "surfaces": .array(
        moves.map {
          [
            "surface": .string($0.surface.rawValue), "stages": .array($0.stages.map(\.json)),
          ]
        }),
    ]
    if !gates.isEmpty {
      object["gates"] = .object(
        JSONObject(
          uniqueMembers: gates.sorted { $0.key.rank < $1.key.rank }
            .map { .init($0.key.rawValue, .object(Self.json(of: $0.value))) }))
    }
    object["takesBack"] = .bool(takesBack)
    object["isAutomatic"] = .bool(isAutomatic)
    object["drainsUntil"] = drainsUntil.flatMap { ISO8601.text(of: $0) }.map(JSON.string)
    return .object(object)
  }

  private static func json(of wanted: [Engagement.MigrationFigure: Double]) -> JSONObject {
    JSONObject(
      uniqueMembers: wanted.sorted { $0.key.rank < $1.key.rank }.map { figure, limit in
        guard limit.isFinite else { return .init(figure.rawValue, .null) }
        guard figure == .parityAge else {
          return .init(figure.rawValue, Engagement.MigrationFigure.json(limit))
        }
        return .init(figure.rawValue, .string(RouteTime.text(of: .seconds(limit))))
      })
  }

  /// Reads a document; throws `invalidArgument`, naming the member, for anything that `json` does not
  /// write.
  public init(json: JSON) throws(EngagementError) {
    guard let object = json.object else { throw .argumentFault("The plan is no JSON object.") }
    try object.allow(Self.members, in: "The plan")
    try self.init(
      from: ProviderID(try (object["from"] ?? .null).text("from")),
      to: ProviderID(try (object["to"] ?? .null).text("to")),
      moves: try Self.moves(object["surfaces"] ?? .null),
      gates: try Self.gates(object["gates"] ?? [:]),
      drainsUntil: try object["drainsUntil"].map(Self.date),
      takesBack: try object["takesBack"].map { (value) throws(EngagementError) in
        try value.flag("takesBack")
      } ?? false,
      isAutomatic: try object["isAutomatic"].map { (value) throws(EngagementError) in
        try value.flag("isAutomatic")
      } ?? false)
  }

  private static func moves(_ json: JSON) throws(EngagementError) -> [Move] {
    guard let list = json.array else { throw .argumentFault("surfaces is no list.") }
    var moves: [Move] = []
    for (index, one) in list.enumerated() {
      let field = "surfaces[\(index)]"
      guard let object = one.object else { throw .argumentFault("\(field) is no object.") }
      try object.allow(["surface", "stages"], in: field)
      guard let list = object["stages"]?.array else {
        throw .argumentFault("\(field).stages is no list.")
      }
      var stages: [Engagement.MigrationStage] = []
      for (index, stage) in list.enumerated() {
        stages.append(try Engagement.MigrationStage(stage, "\(field).stages[\(index)]"))
      }
      let surface = try (object["surface"] ?? .null).text("\(field).surface")
      moves.append(Move(Engagement.Surface(rawValue: surface), stages: stages))
    }
    return moves
  }

  private static func gates(
    _ json: JSON
  ) throws(EngagementError) -> [Engagement.MigrationStage.Kind: [Engagement.MigrationFigure:
    Double]]
  {
    guard let object = json.object else { throw .argumentFault("gates is no object.") }
    let stages = Engagement.MigrationStage.Kind.allCases.map(\.rawValue)
    try object.allow(stages, in: "gates")
    var gates: [Engagement.MigrationStage.Kind: [Engagement.MigrationFigure: Double]] = [:]
    for member in object.members {
      guard let kind = Engagement.MigrationStage.Kind(rawValue: member.key) else { continue }
      gates[kind] = try wanted(member.value, "gates.\(member.key)")
    }
    return gates
  }

  private static func wanted(
    _ json: JSON, _ field: String
  ) throws(EngagementError) -> [Engagement.MigrationFigure: Double] {
    guard let object = json.object else { throw .argumentFault("\(field) is no object.") }
    try object.allow(Engagement.MigrationFigure.allCases.map(\.rawValue), in: field)
    var wanted: [Engagement.MigrationFigure: Double] = [:]
    for member in object.members {
      guard let figure = Engagement.MigrationFigure(rawValue: member.key) else { continue }
      if member.value == .null {
        wanted[figure] = .infinity
      } else if figure == .parityAge {
        wanted[figure] = (try object.time(member.key) ?? .zero) / .seconds(1)
      } else if let limit = member.value.number {
        wanted[figure] = limit
      } else {
        throw .argumentFault(
          "\(field).\(member.key) is no number; write \(figure.unit), or null for no such gate.")
      }
    }
    return wanted
  }

  private static func date(_ json: JSON) throws(EngagementError) -> Date {
    guard let date = json.string.flatMap({ ISO8601.date(from: $0) }) else {
      throw .argumentFault("drainsUntil is no date; write one such as 2026-12-24T00:00:00Z.")
    }
    return date
  }
}

extension JSON {
  fileprivate func flag(_ field: String) throws(EngagementError) -> Bool {
    guard let bool else { throw .argumentFault("\(field) is neither true nor false.") }
    return bool
  }
}

extension JSONObject {
  fileprivate func allow(_ names: [String], in field: String) throws(EngagementError) {
    for key in members.map(\.key) where !names.contains(where: key.hasSameBytes) {
      throw .argumentFault("\(field) has \"\(key)\"" + NearestName.hint(for: key, among: names))
    }
  }
}
