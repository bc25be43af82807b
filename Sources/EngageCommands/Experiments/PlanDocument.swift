import EngagementAnalytics
import EngagementDocuments
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// The design of an experiment as a JSON document, which `engage experiment plan` writes and
/// `engage experiment report` reads.
enum PlanDocument {
  private static let keys = [
    "name", "version", "arms", "control", "metrics", "schedule", "significance", "lookBackDays",
    "strata",
  ]
  private static let longest = 1_000_000

  /// Reads a plan. Throws `invalidConfiguration` with the file, the field and, where a name is unknown,
  /// the nearest one that is right.
  static func read(_ path: String) throws(EngagementError) -> ComparisonDesign {
    let file: InputFile
    do throws(EngagementError) { file = try InputFile(path) } catch {
      var error = error
      error.message += " Write a plan with \"engage experiment plan --out PLAN.json\"."
      throw error
    }
    guard file.isRegular else {
      throw EngagementError(.unreadable, "\(path) is no file. Name the file of a plan.")
    }
    let bytes = try file.bytes(atMost: longest)
    do throws(EngagementError) {
      return try design(ConfigurationField(value: Document.parse(bytes), path: ""))
    } catch {
      var named = error
      named.message = "\(path): \(error.message)"
      throw named
    }
  }

  private static func design(
    _ document: ConfigurationField
  ) throws(EngagementError) -> ComparisonDesign {
    let members = try document.members(among: keys)
    func field(_ name: String) throws(EngagementError) -> ConfigurationField {
      guard let field = members[name] else { throw document.missing(name) }
      return field
    }
    let arms = try arms(field("arms"))
    let control = try field("control").name("arm", among: arms.map(\.name))
    let name = try field("name").string()
    let version = try members["version"]?.wholeNumber(in: 0...1_000_000_000) ?? 1
    let metrics = try members["metrics"].map(metrics) ?? ComparisonMetric.standard
    let strata = try members["strata"]?.strings() ?? []
    return try ComparisonDesign(
      experiment: name, version: version, arms: arms, control: control, metrics: metrics,
      schedule: schedule(field("schedule")),
      significance: try members["significance"]?.number() ?? 0.05,
      lookBackDays: try members["lookBackDays"]?.wholeNumber(in: 0...366) ?? 0,
      strata: strata.compactMap(\.value.string))
  }

  private static func arms(
    _ field: ConfigurationField
  ) throws(EngagementError) -> [ComparisonDesign.Arm] {
    var arms: [ComparisonDesign.Arm] = []
    for (name, share) in try field.members() {
      arms.append(ComparisonDesign.Arm(name, share: try share.number()))
    }
    return arms
  }

  // MARK: Metrics

  /// A metric by its name, or an object such as `{"name": "clicks", "events": "click"}`.
  private static func metrics(
    _ field: ConfigurationField
  ) throws(EngagementError) -> [ComparisonMetric] {
    guard case .array(let values) = field.value else { throw field.wrongType("an array") }
    var metrics: [ComparisonMetric] = []
    for (index, value) in values.enumerated() {
      metrics.append(
        try metric(ConfigurationField(value: value, path: "\(field.path)[\(index)]")))
    }
    return metrics
  }

  private static func metric(
    _ field: ConfigurationField
  ) throws(EngagementError) -> ComparisonMetric {
    if case .string = field.value {
      let named = ComparisonOptions.named
      let name = try field.name("metric", among: named.map(\.name))
      return named.first { $0.name == name } ?? named[0]
    }
    let members = try field.members(among: ["name", "people", "among", "events", "per"])
    guard let name = members["name"] else { throw field.missing("name") }
    func kind(_ key: String) throws(EngagementError) -> EngagementEvent.Kind? {
      guard let field = members[key] else { return nil }
      let kind = EngagementEvent.Kind(try field.string())
      guard let meant = kind.meant else { return kind }
      throw EngagementError(
        .invalidConfiguration,
        "\(field.path) names \"\(kind)\", which is no kind; did you mean \"\(meant)\"?")
    }
    switch (try kind("people"), try kind("events")) {
    case (let people?, nil):
      if let per = members["per"] { throw per.fault("belongs to events; people have among") }
      return ComparisonMetric(try name.string(), .people(people, among: try kind("among")))
    case (nil, let events?):
      if let among = members["among"] { throw among.fault("belongs to people; events have per") }
      return ComparisonMetric(try name.string(), .events(events, per: try kind("per")))
    case (nil, nil), (.some, .some):
      throw field.fault("needs either people or events")
    }
  }

  // MARK: The schedule

  private static func schedule(
    _ field: ConfigurationField
  ) throws(EngagementError) -> ComparisonDesign.Schedule {
    let members = try field.members(among: ["fixed", "anytime"])
    let people = 2...1_000_000_000_000
    switch (members["fixed"], members["anytime"]) {
    case (let fixed?, nil):
      let members = try fixed.members(among: ["people", "end"])
      guard let count = members["people"] else { throw fixed.missing("people") }
      return .fixed(
        people: try count.wholeNumber(in: people),
        end: try members["end"].map { (end) throws(EngagementError) in try end.time() })
    case (nil, let anytime?):
      let members = try anytime.members(among: ["expectedPeople"])
      guard let count = members["expectedPeople"] else { throw anytime.missing("expectedPeople") }
      return .anytime(expectedPeople: try count.wholeNumber(in: people))
    case (nil, nil), (.some, .some):
      throw field.fault("needs either fixed or anytime")
    }
  }

  // MARK: Writing

  /// The document of a design, a member a line.
  static func text(of design: ComparisonDesign) -> String {
    let lines = members(of: design).map { name, value in
      "  \"\(name)\": " + String(decoding: value.encoded(), as: UTF8.self)
    }
    return "{\n\(lines.joined(separator: ",\n"))\n}\n"
  }

  private static func members(of design: ComparisonDesign) -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    if case .experiment(let name, let version) = design.split {
      members = [("name", .string(name)), ("version", .integer(Int64(version)))]
    }
    var arms: JSONObject = [:]
    for arm in design.arms { arms[arm.name] = .number(arm.share) }
    members += [
      ("arms", .object(arms)), ("control", .string(design.arms[design.control].name)),
      ("metrics", .array(design.metrics.map(json))),
    ]
    switch design.schedule {
    case .fixed(let people, let end):
      var fixed: JSONObject = ["people": .integer(Int64(people))]
      fixed["end"] = end.flatMap { ISO8601.text(of: $0) }.map(JSON.string)
      members.append(("schedule", ["fixed": .object(fixed)]))
    case .anytime(let people):
      members.append(("schedule", ["anytime": ["expectedPeople": .integer(Int64(people))]]))
    case .unplanned: break
    }
    return members + [
      ("significance", .number(design.significance)),
      ("lookBackDays", .integer(Int64(design.lookBackDays))),
      ("strata", .array(design.strata.map(JSON.string))),
    ]
  }

  private static func json(of metric: ComparisonMetric) -> JSON {
    guard !ComparisonOptions.named.contains(metric) else { return .string(metric.name) }
    var object: JSONObject = ["name": .string(metric.name)]
    switch metric.measure {
    case .people(let kind, let base):
      object["people"] = .string(kind.rawValue)
      object["among"] = base.map { .string($0.rawValue) }
    case .events(let kind, let base):
      object["events"] = .string(kind.rawValue)
      object["per"] = base.map { .string($0.rawValue) }
    }
    return .object(object)
  }
}

extension ConfigurationField {
  fileprivate func number() throws(EngagementError) -> Double {
    guard let number = value.number else { throw wrongType("a number") }
    return number
  }

  fileprivate func wholeNumber(in range: ClosedRange<Int>) throws(EngagementError) -> Int {
    guard let number = value.integer.map({ Int($0) }) else { throw wrongType("a whole number") }
    guard range.contains(number) else {
      throw fault("is \(number), and not from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  fileprivate func time() throws(EngagementError) -> Date {
    let text = try string()
    guard let date = ISO8601.date(from: text) ?? ISO8601.day(from: text) else {
      throw fault("is no day such as 2026-12-01, and no time such as 2026-12-01T09:00:00Z")
    }
    return date
  }
}
