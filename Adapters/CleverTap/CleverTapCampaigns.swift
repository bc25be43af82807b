import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Maps a campaign's bytes: the application's own template with the vendor's arguments.
///
/// | field | absent | wrong type | unknown value |
/// |---|---|---|---|
/// | `type` | ignored, unless it is announced | ignored | ignored, with its name in the error |
/// | `templateName` | set aside, unless it is announced | set aside | any name |
/// | `ti`, else `wzrk_id` | set aside | set aside | |
/// | `vars` | none | none | a null, a list, an object other than an action: left out |
/// | `priority` | none | none | any whole number |
/// | `wzrk_ttl` | none | none | 0 or less: none |
/// | `efc`, `excludeGlobalFCaps` | no | no | only true and 1 are yes; the vendor sends -1 for no |
/// | `whenTriggers` | none | none | an unreadable trigger is left out |
/// | `frequencyLimits`, `occurrenceLimits`, `mdc`, `tdc`, `tlc` | none | never due | never due |
/// | `delayAfterTrigger` | none | none | only 1 to 1200 |
/// | `wzrk_ttl_offset` | none | none | any whole number |
/// | `suppressed` | no | no | only true and 1 are yes |
struct CleverTapCampaigns {
  private let configuration: CleverTapConfiguration

  init(_ configuration: CleverTapConfiguration) { self.configuration = configuration }

  private static let customCode = "custom-code"

  /// Throws `unsupported`, with the kind as `underlying`, if the campaign does not use a template
  /// of the application.
  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    let fields = try CleverTapItems.fields(of: item)
    let template = try template(of: fields)
    let number = fields.json("ti")?.campaignID
    guard let id = number ?? fields.nonEmptyText("wzrk_id") else {
      throw EngagementError(.malformedResponse, "A campaign has no id.")
    }
    var campaign = Campaign(ItemID("clevertap", id), vendor: "clevertap", template: template)
    campaign.arguments = CleverTapArguments(configuration.platform)
      .neutral(fields.json("vars")?.object ?? [:])
    campaign.priority = fields.integer("priority").flatMap(Int.init(exactly:))
    campaign.expiresAt = fields.positiveTime("wzrk_ttl")
    campaign.isExcludedFromCaps =
      fields.flag("efc") == true || fields.flag("excludeGlobalFCaps") == true
    campaign.triggers = CleverTapConditions.triggers(in: fields)
    campaign.limits = CleverTapConditions.limits(
      in: fields, isExcludedFromCaps: campaign.isExcludedFromCaps)
    campaign.delaySeconds = fields.integer("delayAfterTrigger").flatMap(Self.delay)
    campaign.lifetimeSeconds = fields.integer("wzrk_ttl_offset").flatMap(Int.init(exactly:))
    campaign.isSuppressed = fields.flag("suppressed") == true
    var handle = CleverTapItems.handle(fields)
    handle.number = number
    campaign.handle = handle.json
    return campaign
  }

  /// The campaign's template; empty for an announced campaign, of which the vendor sends only the
  /// conditions.
  private func template(of fields: JSONFields) throws(EngagementError) -> String {
    let name = fields.nonEmptyText("templateName")
    if fields.kind(of: "type") == nil, isAnnounced(fields) { return name ?? "" }
    guard let kind = fields.string("type"), kind == Self.customCode else {
      throw EngagementError(
        .unsupported, "The campaign is none of the application's templates.",
        underlying: fields.string("type").flatMap(Self.shortName))
    }
    guard let name else {
      throw EngagementError(.malformedResponse, "A campaign has no template.")
    }
    return name
  }

  /// Whether a campaign without a kind has conditions and none of the content of the oldest kind, which
  /// has no name.
  private func isAnnounced(_ fields: JSONFields) -> Bool {
    fields.objects("whenTriggers") != nil && fields.kind(of: "d") == nil
      && fields.kind(of: "w") == nil
  }

  /// The vendor's clients delay a campaign by up to 20 minutes; any other number is no delay.
  private static func delay(_ seconds: Int64) -> Int? {
    (1...1_200).contains(seconds) ? Int(seconds) : nil
  }

  /// The word if it looks like a name. Any other text might be content.
  private static func shortName(_ word: String) -> String? {
    let isName = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
    return isName && word.utf8.count <= 40 ? word : nil
  }
}

/// Maps the arguments of a campaign, by flat dotted name.
///
/// | vendor's `type` of an action | neutral `action` |
/// |---|---|
/// | `close`; no type with `close` | `close` |
/// | `url` with an address for this system | `openURL` with `url` |
/// | `kv` with `kv` | `keyValues` with `values` |
/// | `custom-code` with `templateName` | `function` with `template` and `arguments` |
/// | anything else, `rfp` among them | left out |
struct CleverTapArguments {
  private let platform: CleverTapConfiguration.Platform

  init(_ platform: CleverTapConfiguration.Platform) { self.platform = platform }

  func neutral(_ vars: JSONObject) -> JSONObject {
    JSONObject(
      uniqueMembers: vars.members.compactMap { member in
        value(member.value).map { JSONObject.Member(member.key, $0) }
      })
  }

  private func value(_ value: JSON) -> JSON? {
    switch value {
    case .bool, .integer, .number, .string: value
    case .object(let object): object["actions"]?.object.flatMap(action).map(JSON.object)
    case .null, .array: nil
    }
  }

  private func action(_ action: JSONObject) -> JSONObject? {
    switch action["type"]?.string ?? "" {
    case "close": return ["action": "close"]
    case "" where action["close"] == true || action["close"] == 1: return ["action": "close"]
    case "url":
      return VendorURL.checked(action[platform.linkKey.text]?.string).map {
        ["action": "openURL", "url": .string($0)]
      }
    case "kv":
      return action["kv"]?.object.map { ["action": "keyValues", "values": .object($0)] }
    case "custom-code": return function(action)
    default: return nil
    }
  }

  private func function(_ action: JSONObject) -> JSONObject? {
    guard let name = action["templateName"]?.string, !name.isEmpty else { return nil }
    let arguments = neutral(action["vars"]?.object ?? [:])
    var function: JSONObject = ["action": "function", "template": .string(name)]
    if !arguments.isEmpty { function["arguments"] = .object(arguments) }
    return function
  }
}
