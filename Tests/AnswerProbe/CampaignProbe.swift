import EngagementAdapterAPI
import EngagementCleverTap
import EngagementDocuments
import EngagementJSON
public import EngagementModel
import FoundationEssentials

/// Reads arbitrary bytes as definitions of templates, or as campaigns with an event, and checks rules
/// that must hold for any input.
public struct CampaignProbe: Sendable {
  private let adapter: CleverTapAdapter

  /// A violated rule; nil if there is none.
  public typealias Finding = String

  public init() throws(EngagementError) {
    adapter = CleverTapAdapter(
      try CleverTapConfiguration(
        accountID: "account-1", token: Secret("canary-k"), definesTemplates: true))
  }

  // MARK: Definitions

  /// Definitions are refused with their line, or they keep all rules and read back the same.
  public func definitions(_ bytes: [UInt8]) -> Finding? {
    let templates: [Template]
    do throws(EngagementError) {
      templates = try TemplateDefinitions.parse(bytes)
    } catch {
      guard error.code == .invalidConfiguration else { return "refused with \(error.code)" }
      let namesLine = error.message.contains(/line \d+[:,]/)
      return namesLine ? nil : "refused without a line: \(error.message)"
    }
    for template in templates {
      if let finding = brokenRule(of: template) { return "\(template.name): \(finding)" }
      guard (try? Template(json: template.json)) == template else {
        return "\(template.name): its JSON is another template"
      }
    }
    return nil
  }

  private func brokenRule(of template: Template) -> Finding? {
    if template.name.isEmpty { return "the name is empty" }
    let names = template.arguments.map { Array($0.name.utf8) }
    if Set(names).count < names.count { return "two arguments have one name" }
    let dot = UInt8(ascii: ".")
    for (argument, name) in zip(template.arguments, names) {
      if name.split(separator: dot, omittingEmptySubsequences: false).contains(where: \.isEmpty) {
        return "a part of \(argument.name) is empty"
      }
      if argument.type == .action, template.kind == .function { return "a function has an action" }
      if names.contains(where: { $0.starts(with: name + [dot]) }) {
        return "\(argument.name) is an argument and a group"
      }
      if let finding = brokenDefault(of: argument) { return finding }
    }
    return nil
  }

  private func brokenDefault(of argument: Template.Argument) -> Finding? {
    let isRight =
      switch argument.type {
      case .string: argument.defaultValue?.string != nil
      case .number: argument.defaultValue?.number != nil
      case .boolean: argument.defaultValue?.bool != nil
      case .file, .action: argument.defaultValue == nil
      }
    return isRight ? nil : "the default of \(argument.name) is not of its type"
  }

  // MARK: Triggers

  /// Each campaign of the list is due or not whatever stands beside it; one that is never due stays so.
  ///
  /// The bytes are an object with `campaigns`, as the vendor lists them, and optionally `event`,
  /// `properties`, `items`, `fired`, `shown` and `zone`.
  public func triggers(_ bytes: [UInt8]) -> Finding? {
    guard let (scene, campaigns) = scene(bytes) else { return nil }
    let together = scene.evaluated(campaigns)
    if together != scene.evaluated(campaigns) { return "the same event has two outcomes" }
    for (index, campaign) in campaigns.enumerated()
    where campaigns.filter({ $0.id == campaign.id }).count == 1 {
      let alone = scene.evaluated([campaign])
      if alone.fired != together.fired.filter({ $0 == campaign.id }) {
        return "campaign \(index) fires otherwise beside others"
      }
      if alone.eligible != together.eligible.filter({ $0.id == campaign.id }) {
        return "campaign \(index) is eligible otherwise beside others"
      }
      let isReadable = !campaign.limits.contains { $0.kind == .unreadable }
      if !isReadable, !alone.eligible.isEmpty { return "campaign \(index) has no readable limit" }
    }
    return together.finding
  }

  /// The ids of the campaigns that are due or suppressed.
  public func eligible(_ bytes: [UInt8]) -> [String] {
    guard let (scene, campaigns) = scene(bytes) else { return [] }
    return scene.evaluated(campaigns).eligible.map(\.id.value)
  }

  private func scene(_ bytes: [UInt8]) -> (TriggerScene, [Campaign])? {
    guard let input = try? JSON(parsing: bytes), let list = input["campaigns"]?.array else {
      return nil
    }
    let campaigns = list.enumerated().compactMap { index, json in
      try? adapter.campaign(in: RawItem(index: index, bytes: json.encoded()[...]))
    }
    return (TriggerScene(input), campaigns)
  }
}

/// An event at a time, and what was presented before.
private struct TriggerScene {
  let occurrence: Campaign.Occurrence
  let moment: CampaignMoment
  let counts: CampaignCounts

  init(_ input: JSON) {
    occurrence = Campaign.Occurrence(
      input["event"]?.string ?? "", properties: input["properties"]?.object ?? [:],
      items: (input["items"]?.array ?? []).compactMap(\.object),
      attribute: input["attribute"]?.string,
      position: input["latitude"]?.number.map {
        Campaign.Position(latitude: $0, longitude: input["longitude"]?.number ?? 0)
      },
      isFirst: input["first"]?.bool ?? false)
    // No zone of the earth is further than this from UTC.
    moment = CampaignMoment(now, zoneOffset: Int((input["zone"]?.integer ?? 0) % 50_400))
    counts = CampaignCounts(
      fired: Int((input["fired"]?.integer ?? 0) & 0xffff),
      inSession: Int((input["session"]?.integer ?? 0) & 0xff),
      presentations: (input["shown"]?.array ?? []).compactMap(\.number).sorted().map {
        Date(timeIntervalSince1970: $0)
      })
  }

  struct Outcome: Equatable {
    var fired: [ItemID]
    var eligible: [Campaign]
    var due: [CampaignEvaluation.Due]
    var suppressed: [Campaign]
  }

  func evaluated(_ campaigns: [Campaign]) -> Outcome {
    let evaluation = CampaignEvaluator(campaigns).evaluate([occurrence], at: moment) { _ in counts }
    return Outcome(
      fired: evaluation.fired, eligible: evaluation.eligible, due: evaluation.due,
      suppressed: evaluation.suppressed)
  }
}

extension TriggerScene.Outcome {
  /// A rule that the outcome breaks.
  fileprivate var finding: CampaignProbe.Finding? {
    let fired = Set(fired)
    if eligible.contains(where: { !fired.contains($0.id) }) { return "it is due and did not fire" }
    if due.contains(where: { $0.campaign.isSuppressed }) { return "a suppressed campaign is due" }
    if !suppressed.allSatisfy(\.isSuppressed) { return "a campaign is suppressed without a reason" }
    let delays = due.map { $0.presentAt }
    if Set(delays).count < delays.count { return "two are due at one time" }
    if due.contains(where: { $0.presentAt < now }) { return "it is due before its event" }
    return nil
  }
}
