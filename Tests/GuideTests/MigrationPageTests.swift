import EngagementAdapterAPI
import EngagementAtomic
import EngagementBraze
import EngagementCleverTap
import EngagementCurl
import EngagementKit
import EngagementModel
import EngagementVibes
import Foundation
import Testing

private typealias Verb = EngagementAdapterAPI.Operation.Verb

/// What MIGRATION.md says of each pair of vendors, against the capabilities of the adapters.
@Suite struct MigrationPageTests {
  /// A move from one vendor to another one.
  struct Move: Sendable, CustomTestStringConvertible {
    let from: String
    let to: String

    var testDescription: String { heading }
    var heading: String { "From \(from) to \(to)" }

    static let vendors = ["Braze", "Vibes", "CleverTap", "Atomic"]
    static let all = vendors.flatMap { from in
      vendors.filter { $0 != from }.map { Move(from: from, to: $0) }
    }

    func table() throws -> MoveTable {
      let adapters = try MigrationPageTests.adapters()
      return MoveTable(
        from: try #require(adapters[from]), to: try #require(adapters[to]), called: to)
    }
  }

  static func adapters() throws -> [String: any EngagementAdapter] {
    [
      "Braze": try .braze(endpoint: "https://sdk.example.com", apiKey: Secret("key")),
      "Vibes": try .vibes(appID: "demo"),
      "CleverTap": try .clevertap(accountID: "ACC-1", token: Secret("token"), region: "eu1"),
      "Atomic": try .atomic(environmentID: "env-1", apiKey: Secret("key")),
    ]
  }

  /// The table under a heading of the page.
  private static func table(under heading: String) throws -> String {
    let parts = try Guides.text("MIGRATION.md").components(separatedBy: "# \(heading)\n\n")
    try #require(parts.count == 2, "the page has no part \"\(heading)\", or several")
    return parts[1].components(separatedBy: "\n\n")[0]
  }

  @Test(
    "X15: MIGRATION.md says of each pair what is native, bridged and lost as the adapters do",
    arguments: Move.all)
  func pair(_ move: Move) throws {
    #expect(try Self.table(under: move.heading) == move.table().text)
  }

  @Test("X15: MIGRATION.md says of everything that some pair loses what an application does")
  func advice() throws {
    let lost = try Move.all.reduce(into: Set<String>()) { lost, move in
      for row in try move.table().rows {
        lost.formUnion(row.lost + row.kept)
        if !row.fields.isEmpty { lost.insert("person.update") }
      }
    }
    let advised = try Self.table(under: "What an application does about it").split(separator: "\n")
      .dropFirst(2).flatMap { row in
        row.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) }
      }
    #expect(lost.count > 10)
    #expect(Set(advised) == lost)
    #expect(Set(advised).count == advised.count)
  }

  @Test("X15: MIGRATION.md lists each figure of a gate with its unit and its standard limits")
  func gates() throws {
    let part = try Guides.text("MIGRATION.md").components(separatedBy: "### The gates\n\n")
    try #require(part.count == 2)
    let rows = part[1].components(separatedBy: "\n## ")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    typealias Kind = Engagement.MigrationStage.Kind
    let expected = Engagement.MigrationFigure.allCases.map { figure in
      var limits: [(text: String, stages: [String])] = []
      for kind in Kind.allCases {
        guard let limit = Engagement.MigrationFigure.standard(of: kind)[figure] else { continue }
        let text = "\(figure.isAtLeast ? "at least" : "at most") \(figure.text(of: limit))"
        if let index = limits.firstIndex(where: { $0.text == text }) {
          limits[index].stages.append("`\(kind.rawValue)`")
        } else {
          limits.append((text, ["`\(kind.rawValue)`"]))
        }
      }
      let standard = limits.map { "\($0.stages.joined(separator: ", ")): \($0.text)" }
      return [
        "`\(figure.rawValue)`: \(figure.unit)",
        standard.isEmpty ? "none" : standard.joined(separator: "; "),
      ]
    }
    #expect(rows.allSatisfy { $0.count == 3 && $0[1].contains("; ") })
    #expect(rows.map { [$0[0], $0[2]] } == expected)
  }

  @Test("X16 X15: MIGRATION.md names the marks by which the adapters know their pushes")
  func pushMarks() throws {
    let rows = try Guides.text("MIGRATION.md").components(separatedBy: "\n").map {
      $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let heading = try #require(
      rows.firstIndex { $0.starts(with: ["vendor", "a payload is its own by"]) })
    for (name, adapter) in try Self.adapters() {
      let row = try #require(rows[heading...].first { $0.first == name })
      let named = row[1].matches(of: /`([^`]+)`/).map { String($0.1) }
      let marks = adapter.capabilities.pushMarks
      // Vibes marks nothing: its row names the member that the adapter looks at.
      let expected = marks == .none ? ["message_uid"] : marks.keys + marks.prefixes
      #expect(Set(named) == Set(expected), "\(name)")
    }
  }

  @Test("X5 X15: an action on a bridged item is refused where its vendor has no word for it")
  func bridgedActions() async throws {
    let adapters = try Self.adapters().sorted { $0.key < $1.key }.map {
      (ProviderID($0.value.vendor.rawValue), $0.value)
    }
    let all = adapters.map(\.0)
    let engagement = try await Engagement.open(
      cache: .temporary, device: .current(appID: "com.example.shop"), transport: CurlTransport(),
      providers: Engagement.Providers(adapters),
      routes: .init(cards: .merge(all), inbox: .merge(all)), options: .init(loggers: []))
    for (id, adapter) in adapters {
      for surface in [Surface.cards, .inbox] {
        for action in MoveTable.actions {
          let word = MoveTable.word(for: action, on: surface, at: adapter.capabilities)
          // No vendor lists the item, so that what is not refused finds nothing.
          let error = await #expect(throws: EngagementError.self) {
            try await engagement.perform(action, on: ItemID(id, "none"), surface: surface)
          }
          #expect(
            (error?.code == .unsupported) == (word == nil), "\(action.name) of \(surface) at \(id)")
        }
      }
    }
    try await engagement.close()
  }
}

/// What of a vendor's surfaces another one has.
struct MoveTable {
  struct Row {
    var surface: Surface
    /// What the surface is at the new vendor.
    var support: String
    /// What the new vendor has not.
    var lost: [String] = []
    /// What is kept on the device at the new vendor, and told to the old one.
    var kept: [String] = []
    /// The fields of a person that the new vendor does not take.
    var fields: [String] = []
  }

  private let old: AdapterCapabilities
  private let new: AdapterCapabilities
  private let name: String
  private let report: [Engagement.ProviderCapabilities]

  init(from: any EngagementAdapter, to: any EngagementAdapter, called name: String) {
    old = from.capabilities
    new = to.capabilities
    self.name = name
    report =
      Engagement.CapabilityReport(of: Engagement.Providers([("old", from), ("new", to)])).providers
  }

  var text: String {
    (["| surface | at \(name) | lost |", "|---|---|---|"]
      + rows.map { "| \($0.surface) | \($0.support) | \($0.words) |" }).joined(separator: "\n")
  }

  /// A row for each surface that the old vendor has itself.
  var rows: [Row] {
    zip(report[0].surfaces, report[1].surfaces).compactMap { former, next in
      guard former.support == .native else { return nil }
      var row = Row(surface: next.surface, support: Self.words(next))
      if case .absent = next.support {
        row.lost = [former.surface == .templates ? "campaigns" : former.surface.rawValue]
        return row
      }
      switch former.surface {
      case .cards, .inbox: addItems(to: &row)
      case .push: addPushes(to: &row)
      case .person: addPerson(to: &row)
      case .events:
        let kinds = [EngagementEvent.Kind.custom, .purchase].filter(old.eventKinds.contains)
        guard !kinds.isEmpty else { return nil }
        row.lost = kinds.filter { !new.eventKinds.contains($0) }.map { "events.\($0)" }
      default: break
      }
      return row
    }
  }

  private static func words(_ capability: Engagement.SurfaceCapability) -> String {
    switch capability.support {
    case .native: capability.strategies.contains("shadow") ? "native, `shadow` first" : "native"
    case .bridged(let surface): "bridged from \(surface)"
    case .absent(let reason): "absent: \(reason)"
    }
  }

  private func addItems(to row: inout Row) {
    for action in Self.actions {
      let verb = Verb.act(action.name, on: row.surface)
      guard old.has(verb) else { continue }
      guard let word = Self.word(for: action, on: row.surface, at: new) else {
        row.lost.append(verb.rawValue)
        continue
      }
      let isKept = new.ability(word).travel == .localOnly && old.ability(verb).travel != .localOnly
      if isKept { row.kept.append(verb.rawValue) }
    }
    let others: [Verb] = row.surface == .cards ? [.metrics, .upload] : [.message]
    row.lost += missing(others)
    guard row.surface == .cards else { return }
    if old.isLive, !new.isLive { row.lost.append("live") }
    if old.hasContainers, !new.hasContainers { row.lost.append("containers") }
    if old.filters != [:], new.filters == [:] { row.lost.append("filters") }
  }

  private func addPushes(to row: inout Row) {
    let kinds = [EngagementEvent.Kind.receive, .click].filter {
      old.pushKinds.contains($0) && !new.pushKinds.contains($0)
    }
    row.lost = kinds.map { "push.\($0)" } + missing([.pushContainers])
  }

  private func addPerson(to row: inout Row) {
    row.lost = missing([.person, .associate, .updatePerson, .optOut])
    guard old.has(.updatePerson), new.has(.updatePerson) else { return }
    let gone = old.personFields.subtracting(new.personFields)
    row.fields = PersonUpdate.Field.allCases.filter(gone.contains).map(\.rawValue)
  }

  private func missing(_ verbs: [Verb]) -> [String] {
    verbs.filter { old.has($0) && !new.has($0) }.map(\.rawValue)
  }

  // MARK: Actions

  static let actions: [ItemAction] = [
    .impression, .click, .open, .read, .dismiss, .submit(button: "ok", values: [:]),
    .snooze(seconds: 60), .vote(useful: true, reason: nil, message: nil), .expire(at: nil), .delete,
  ]

  /// What the vendor has for an action on an item that it shows on the surface; nil for nothing.
  fileprivate static func word(
    for action: ItemAction, on surface: Surface, at capabilities: AdapterCapabilities
  ) -> Verb? {
    let own: Verb = surface == .cards ? .cards : .inbox
    let verbs =
      capabilities.has(own)
      ? [Verb.act(action.name, on: surface)]
      : (surface == .cards ? messageWords(action.name) : cardWords(action.name)).map {
        .act($0, on: surface == .cards ? .inbox : .cards)
      }
    return verbs.first(where: capabilities.has)
  }

  private static func messageWords(_ action: String) -> [String] {
    switch action {
    case "impression": ["read", "impression"]
    case "click": ["open", "click"]
    case "dismiss": ["dismiss", "expire", "delete"]
    default: [action]
    }
  }

  private static func cardWords(_ action: String) -> [String] {
    switch action {
    case "read": ["impression"]
    case "open": ["click"]
    case "delete", "expire": ["dismiss"]
    default: [action]
    }
  }
}

extension MoveTable.Row {
  fileprivate var words: String {
    var parts = lost.map { "`\($0)`" }
    if !fields.isEmpty {
      let last = fields.map { "`\($0)`" }.joined(separator: ", ")
      parts.append("`person.update` of \(last)")
    }
    let lost = parts.isEmpty ? [] : [parts.joined(separator: ", ")]
    let kept = kept.isEmpty ? [] : ["kept: " + kept.map { "`\($0)`" }.joined(separator: ", ")]
    return lost.isEmpty && kept.isEmpty ? "nothing" : (lost + kept).joined(separator: "; ")
  }
}

extension AdapterCapabilities {
  fileprivate func has(_ verb: Verb) -> Bool { ability(verb).travel != .unsupported }
}
