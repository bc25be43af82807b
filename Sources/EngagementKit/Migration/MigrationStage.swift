public import EngagementModel

extension Engagement {
  /// How far a surface has moved from one provider to another.
  ///
  /// A stage is a route of the surface. What is shown never depends on anything else of a migration.
  public struct MigrationStage: Hashable, Sendable {
    public let kind: Kind
    /// The share of the people who have moved, in hundredths.
    public let percent: Int

    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The surface has the route that it had before.
      case off
      /// The new provider is read beside the old one, and not shown.
      case shadow
      /// A few people have the new provider.
      case canary
      /// More people have it.
      case ramp
      /// Everybody has it.
      case cutover
      /// What was done to the old provider's items is still sent to it.
      case drain
      /// The old provider may leave the application.
      case removed
    }

    private init(_ kind: Kind, percent: Int) {
      self.kind = kind
      self.percent = percent
    }

    public static let off = Self(.off, percent: 0)
    public static let shadow = Self(.shadow, percent: 0)
    public static let cutover = Self(.cutover, percent: 100)
    public static let drain = Self(.drain, percent: 100)
    public static let removed = Self(.removed, percent: 100)

    public static func canary(percent: Int) -> Self { Self(.canary, percent: percent) }
    public static func ramp(percent: Int) -> Self { Self(.ramp, percent: percent) }
  }
}

extension Engagement.MigrationStage {
  /// The stage of a kind; nil for a kind that needs a share.
  init?(_ kind: Kind) {
    switch kind {
    case .off: self = .off
    case .shadow: self = .shadow
    case .cutover: self = .cutover
    case .drain: self = .drain
    case .removed: self = .removed
    case .canary, .ramp: return nil
    }
  }

  /// Whether some people have the new provider and others the old one.
  var isShared: Bool { kind == .canary || kind == .ramp }

  /// The stage as a plan writes it: `"cutover"` or `{"canary": 5}`.
  public var json: JSON {
    isShared ? [kind.rawValue: .integer(Int64(percent))] : .string(kind.rawValue)
  }

  /// Reads what `json` writes; throws `invalidArgument`, naming the field, for anything else.
  init(_ json: JSON, _ field: String) throws(EngagementError) {
    let names = Kind.allCases.map(\.rawValue)
    let name = json.string ?? json.object?.members.first?.key
    guard let name, let kind = Kind(rawValue: name), (json.object?.count ?? 1) == 1 else {
      let said = name.map { "\"\($0)\"" + NearestName.hint(for: $0, among: names) }
      throw .argumentFault("\(field) is \(said ?? "no stage, such as \"cutover\"").")
    }
    guard let body = json.object?.members.first?.value else {
      guard let stage = Self(kind) else {
        throw .argumentFault("\(field) has no share; write {\"\(name)\": 5} for 5 % of the people.")
      }
      self = stage
      return
    }
    guard kind == .canary || kind == .ramp else {
      throw .argumentFault("\(field) has a share; \(name) is for everybody: write \"\(name)\".")
    }
    self.init(kind, percent: try body.count("\(field).\(name)"))
  }

  /// The stage in a message or a table: `canary 5 %`.
  public var words: String { isShared ? "\(kind.rawValue) \(percent) %" : kind.rawValue }

  /// Reads what `words` writes, with or without the per cent sign, and what `json` writes; throws
  /// `invalidArgument` else.
  public init(words: String) throws(EngagementError) {
    let parts = words.split { " %={}\":".contains($0) }
    guard parts.count == 2, let percent = Int(parts[1]) else {
      guard parts.count != 1 || Kind(rawValue: words).map({ Self($0) != nil }) ?? true else {
        throw .argumentFault(
          "The stage is \(words) without its share; write such as \"\(words) 5\".")
      }
      try self.init(.string(words), "The stage")
      return
    }
    try self.init([String(parts[0]): .integer(Int64(percent))], "The stage")
  }
}

extension Engagement.MigrationStage {
  /// Grows from `off` to `removed`.
  var order: Int { kind.rank * 100 + percent }
}

extension Engagement.MigrationStage.Kind {
  var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
