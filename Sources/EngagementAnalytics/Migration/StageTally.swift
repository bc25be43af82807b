import EngagementJSON
public import EngagementModel

/// What the events of many installations tell of one stage of a migration.
///
/// An installation is in the stage from its `migration.stepped` to the stage on, until its next step of the
/// surface; if it came to the stage several times, since the last time. Events are read twice: first all of
/// them by `learn`, then all of them by `count`.
///
/// ```swift
/// var tally = StageTally(of: stage)
/// for record in records { tally.learn(from: record) }
/// for record in records { tally.count(record) }
/// ```
public struct StageTally: Sendable {
  /// A stage of a surface that moves from one provider to another.
  public struct Stage: Hashable, Sendable {
    public var surface: String
    public var old: ProviderID
    public var new: ProviderID
    /// As `migration.stepped` has it, such as `canary 5 %`.
    public var words: String
    /// The experiment of a stage with a share: those of its hold-out have not moved. Nil: all have.
    public var experiment: String?
    /// The names of the requests that count, by provider.
    public var requests: [ProviderID: Set<String>]

    public init(
      surface: String, old: ProviderID, new: ProviderID, words: String, experiment: String? = nil,
      requests: [ProviderID: Set<String>]
    ) {
      self.surface = surface
      self.old = old
      self.new = new
      self.words = words
      self.experiment = experiment
      self.requests = requests
    }
  }

  /// Requests of a provider.
  public struct Requests: Hashable, Sendable {
    public fileprivate(set) var failed = 0
    fileprivate var times: [Double] = []

    public var count: Int { failed + times.count }

    /// The share of those that failed; nil without any.
    public var errors: Double? { count > 0 ? Double(failed) / Double(count) : nil }

    /// The median in milliseconds; nil if none was answered.
    public var median: Double? { times.isEmpty ? nil : times.sorted()[times.count / 2] }
  }

  /// The requests of the new provider in the stage.
  public private(set) var new = Requests()
  /// How many actions were accepted for the new provider in the stage.
  public private(set) var accepted = 0
  /// How many of them did not arrive.
  public private(set) var lost = 0
  /// How often the new provider listed one content several times.
  public private(set) var duplicates = 0
  /// How many times people who have moved took their consent back.
  public private(set) var optOuts = 0

  private let stage: Stage
  private var oldInStage = Requests()
  private var oldBefore = Requests()
  private var windows: [[UInt8]: Window] = [:]
  /// The people who have moved, and the events that were counted.
  private var moved: Set<[UInt8]> = []
  private var counted: Set<EventIdentity> = []

  /// The last step to the stage, and the next one.
  private struct Window {
    var steps: [Int64: Bool] = [:]

    /// The sequences of the stage; nil if the installation never came there.
    var range: Range<Int64>? {
      guard let start = steps.filter(\.value).keys.max() else { return nil }
      return start..<(steps.keys.filter { $0 > start }.min() ?? .max)
    }
  }

  public init(of stage: Stage) { self.stage = stage }

  /// The requests of the old provider in the stage; those before it if the stage sends it none.
  public var old: Requests { oldInStage.count > 0 ? oldInStage : oldBefore }

  /// How many installations came to the stage.
  public var installations: Int { windows.values.count { $0.range != nil } }

  /// How many people of the events have moved; nil in a stage in which all have.
  public var people: Int? { stage.experiment.map { _ in moved.count } }

  // MARK: The first reading

  /// Takes where installations are, and who has moved.
  public mutating func learn(from event: borrowing EventRecord) {
    let kind = Self.kind(of: event)
    if kind == .migrationStepped {
      guard let data = Self.data(of: event), case .integer(let sequence) = event[.sequence],
        data["surface"]?.string == stage.surface, data["old"]?.string == stage.old.rawValue,
        data["new"]?.string == stage.new.rawValue
      else { return }
      windows[Self.text(.source, of: event), default: Window()].steps[sequence] =
        data["to"]?.string == stage.words
    } else if kind == .experimentAssigned || kind == .experimentExposed {
      guard let experiment = stage.experiment,
        Self.text(.name, of: event).elementsEqual(experiment.utf8),
        Self.data(of: event)?["arm"]?.string == Self.movedArm
      else { return }
      moved.insert(Self.person(of: event))
    }
  }

  // MARK: The second reading

  public mutating func count(_ event: borrowing EventRecord) {
    guard let range = windows[Self.text(.source, of: event)]?.range,
      case .integer(let sequence) = event[.sequence], sequence < range.upperBound
    else { return }
    let provider = ProviderID(String(decoding: Self.text(.provider, of: event), as: UTF8.self))
    guard sequence >= range.lowerBound else {
      if provider == stage.old, isNew(event) { countRequest(event, provider, \.oldBefore) }
      return
    }
    let kind = Self.kind(of: event)
    if kind == .optOut {
      let isMoved = stage.experiment == nil || moved.contains(Self.person(of: event))
      if isMoved, isNew(event) { optOuts += 1 }
      return
    }
    guard provider == stage.new || provider == stage.old, isNew(event) else { return }
    countRequest(event, provider, provider == stage.new ? \.new : \.oldInStage)
    guard provider == stage.new else { return }
    if kind == .contentDuplicated {
      if Self.data(of: event)?["surface"]?.string == stage.surface { duplicates += 1 }
    } else if kind == .outboxDropped {
      let data = Self.data(of: event)
      guard let reason = data?["reason"]?.string, Self.losses.contains(reason) else { return }
      lost += Int(clamping: max(0, data?["count"]?.integer ?? 1))
    } else if Self.actions.contains(kind) {
      accepted += 1
    }
  }

  private mutating func countRequest(
    _ event: borrowing EventRecord, _ provider: ProviderID,
    _ requests: WritableKeyPath<StageTally, Requests>
  ) {
    let kind = Self.kind(of: event)
    guard kind == .providerRequest || kind == .providerFailed, let data = Self.data(of: event),
      let name = data["operation"]?.string, stage.requests[provider]?.contains(name) == true
    else { return }
    if kind == .providerRequest {
      self[keyPath: requests].times.append(data["milliseconds"]?.number ?? 0)
    } else {
      self[keyPath: requests].failed += 1
    }
  }

  /// Whether the event comes for the first time, also where files overlap.
  private mutating func isNew(_ event: borrowing EventRecord) -> Bool {
    counted.insert(EventIdentity(event)).inserted
  }

  // MARK: Cells

  private static let movedArm = "moved"

  /// Why an accepted action did not arrive.
  private static let losses: Set<String> = ["rejected", "expired", "evicted", "lost"]

  /// What a user does to an item, of which a vendor is told.
  private static let actions: Set<EngagementEvent.Kind> = [
    .impression, .click, .open, .read, .dismiss, .snooze, .submit, .vote, .expire,
  ]

  private static func kind(of event: borrowing EventRecord) -> EngagementEvent.Kind {
    let surface = String(decoding: text(.surface, of: event), as: UTF8.self)
    return EventType.kind(
      of: String(decoding: text(.type, of: event), as: UTF8.self),
      on: surface.isEmpty ? nil : Surface(surface))
  }

  private static func text(_ column: EventColumn, of event: borrowing EventRecord) -> [UInt8] {
    if case .text(let text) = event[column] { text } else { [] }
  }

  private static func data(of event: borrowing EventRecord) -> JSONObject? {
    guard case .json(let json) = event[.data] else { return nil }
    return (try? JSON(parsing: json))?.object
  }

  /// Stands for the person. Without a user it is the installation.
  private static func person(of event: borrowing EventRecord) -> [UInt8] {
    let user = text(.user, of: event)
    return user.isEmpty ? [0xff] + text(.source, of: event) : user
  }
}
