import EngagementAdapterAPI
import EngagementModel

/// What accepted operations mean for the vendor's campaigns: events under the vendor's names, and
/// changes of the person, each attribute by itself.
struct CleverTapOccurrences {
  private let platform: CleverTapConfiguration.Platform

  init(_ platform: CleverTapConfiguration.Platform) { self.platform = platform }

  func occurrences(in operation: Operation) -> [Campaign.Occurrence] {
    switch operation {
    case .events(let events): events.compactMap(occurrence)
    case .associate(let id): changes(in: (try? CleverTapProfile.identity(id)) ?? [:])
    case .updatePerson(let update): changes(in: (try? CleverTapProfile.members(of: update)) ?? [:])
    case .settings, .device, .registerPush, .unregisterPush, .cards, .inbox, .message, .person,
      .metrics, .campaigns, .act, .templates, .upload, .optOut, .pushContainers, .vendor:
      []
    }
  }

  // MARK: Events

  /// Nil for an event that is not sent. The names that the vendor discards are unknown here.
  private func occurrence(of event: EngagementEvent) -> Campaign.Occurrence? {
    switch CleverTapEvent(event, discarding: [], launch: { [:] }) {
    case .staysHere, .isRejected: return nil
    case .travels(let name, let data):
      var occurrence = Campaign.Occurrence(name, properties: flat(named(data)))
      occurrence.items = data["Items"]?.array?.compactMap(\.object) ?? []
      occurrence.waitsForAnswer = event.kind == .launch
      return occurrence
    }
  }

  /// Conditions may ask for a campaign and its variant by two names each.
  private func named(_ data: JSONObject) -> JSONObject {
    var data = data
    for (name, other) in [("wzrk_id", "Campaign id"), ("wzrk_pivot", "Variant")]
    where data[other] == nil {
      data[other] = data[name]
    }
    return data
  }

  /// What conditions see of an event: a member within an object has a dotted name, and a null is not
  /// there.
  private func flat(_ data: JSONObject, under path: String = "") -> JSONObject {
    JSONObject(
      firstOfEach: data.members.flatMap { member -> [JSONObject.Member] in
        let name = path.isEmpty ? member.key : "\(path).\(member.key)"
        if let object = member.value.object { return flat(object, under: name).members }
        return member.value == .null ? [] : [JSONObject.Member(name, Self.dated(member.value))]
      })
  }

  /// A date is a text such as `$D_1700000000`, and a number for conditions.
  private static func dated(_ value: JSON) -> JSON {
    if let list = value.array { return .array(list.map(dated)) }
    guard let text = value.string, text.utf8.starts(with: "$D_".utf8) else { return value }
    return Int64(text.dropFirst(3)).map(JSON.integer) ?? value
  }

  // MARK: Changes of the person

  /// An attribute within an object has a dotted name.
  private func changes(
    in members: JSONObject, under path: String = ""
  ) -> [Campaign.Occurrence] {
    members.members.flatMap { member -> [Campaign.Occurrence] in
      guard !Self.systemAttributes.contains(member.key) else { return [] }
      let name = path.isEmpty ? member.key : "\(path).\(member.key)"
      guard let object = member.value.object else { return [change(of: name, to: member.value)] }
      guard let command = CleverTapProfile.command(in: object) else {
        return changes(in: object, under: name)
      }
      return newValue(after: command).map { [change(of: name, to: $0)] } ?? []
    }
  }

  /// The vendor's clients do not evaluate these.
  private static let systemAttributes: Set<String> = ["cc", "tz", "Carrier"]

  /// The value that a command leaves. Nil for a command that depends on the former value, which is
  /// unknown here.
  private func newValue(after command: (name: String, operand: JSON)) -> JSON? {
    switch command.name {
    case "$set": command.operand
    case "$delete": .some(.null)
    default: .none
    }
  }

  /// Only the vendor's iOS client reads dates here.
  private func change(of attribute: String, to value: JSON) -> Campaign.Occurrence {
    let value = platform == .iOS ? Self.dated(value) : value
    return Campaign.Occurrence(
      attribute + suffix, properties: ["newValue": value], attribute: attribute)
  }

  /// The vendor's clients name the event of a changed attribute differently.
  private var suffix: String {
    switch platform {
    case .iOS: "_change"
    case .android: "_CTUserAttributeChange"
    }
  }
}
