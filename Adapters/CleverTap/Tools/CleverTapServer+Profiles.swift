import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors

/// Who is there, and what is known of them.
extension CleverTapServer {
  func user(of request: VendorRequest) -> User? {
    let elements = (try? JSON(parsing: request.body))?.array ?? []
    guard let guid = elements.first?["g"]?.string else { return nil }
    for element in elements.dropFirst().reversed() {
      if let identity = element["profile"]?["Identity"] {
        return CleverTapCampaign.id(identity).map { User(UserID($0)) }
      }
    }
    return devices[guid].flatMap { profiles[$0.profile]?.user }
  }

  /// The name of a batch's user in the record.
  func user(of batch: CleverTapServerBatch) -> String {
    devices[batch.guid]?.profile ?? Self.anonymous(batch.guid)
  }

  private static func anonymous(_ guid: String) -> String { "anonymous:\(guid)" }

  /// Notes who is there. What a device did before it had an identity becomes that of its first one.
  mutating func welcome(_ batch: CleverTapServerBatch) {
    let old = user(of: batch)
    if devices[batch.guid] == nil {
      devices[batch.guid] = CleverTapDevice(profile: old)
      // The newer inbox is fetched; batches bring what comes after the first.
      if !settings.listsInboxV1 { devices[batch.guid]?.toldMessages = lastStamp }
      profiles[old] = CleverTapServerProfile()
    }
    guard let identity = batch.identity, identity != old else { return }
    if profiles[identity] == nil {
      var profile = profiles[old]?.identity == nil ? profiles[old] : nil
      profile?.identity = identity
      profiles[identity] = profile ?? CleverTapServerProfile(identity: identity)
    }
    if profiles[old]?.identity == nil { profiles[old] = nil }
    devices[batch.guid]?.profile = identity
  }

  // MARK: Attributes

  mutating func take(
    profile: JSONObject, _ item: JSONObject, from batch: CleverTapServerBatch
  ) -> [VendorEffect] {
    let user = user(of: batch)
    let time = item["ep"]?.integer
    if let fault = CleverTapServerLimits(isAndroid: batch.isAndroid).fault(in: profile) {
      return [VendorEffect("fault", of: fault, by: user, time: time)]
    }
    var effects: [VendorEffect] = []
    var attributes = profiles[user]?.attributes ?? [:]
    CleverTapCommand.merge(profile, into: &attributes, at: "") { name, key in
      // What every profile says of the device is no change of the person.
      guard !Self.ofDevice.contains(key) else { return }
      effects.append(VendorEffect(name, of: key, by: user, time: time))
    }
    profiles[user]?.attributes = attributes
    takeOptOut(profile, by: user, at: time ?? 0)
    return effects
  }

  private static let ofDevice = ["tz", "cc", "Carrier"]

  private mutating func takeOptOut(_ profile: JSONObject, by user: String, at time: Int64) {
    guard let isOut = profile["ct_optout"]?.bool else { return }
    let allows = profile["ct_allow_sys_events_and_communication"]?.bool ?? false
    profiles[user]?.optOut = isOut ? (time, allows) : nil
  }

  // MARK: Push tokens

  /// The effect names a token by what tells it from another and does not give it away.
  mutating func take(token: JSONObject, by user: String) -> VendorEffect {
    let (id, action) = (token["id"]?.string ?? "", token["action"]?.string ?? "")
    profiles[user]?.tokens[Secret(id)] = action == "register" ? token["type"]?.string : nil
    let fingerprint = String(SHA256.digest(of: id).description.prefix(12))
    return VendorEffect(action, of: fingerprint, by: user)
  }
}

/// What a client has done to an attribute instead of setting it.
enum CleverTapCommand: String, Sendable {
  case set = "$set"
  case add = "$add"
  case remove = "$remove"
  case increase = "$incr"
  case decrease = "$decr"
  case delete = "$delete"

  /// Merges the members of a profile, and calls back with the name and the dotted key of each change.
  static func merge(
    _ members: JSONObject, into attributes: inout JSONObject, at path: String,
    _ change: (String, String) -> Void
  ) {
    for member in members.members {
      let key = path.isEmpty ? member.key : "\(path).\(member.key)"
      guard let inner = member.value.object else {
        attributes[member.key] = member.value
        change("profile", key)
        continue
      }
      if inner.count == 1, let only = inner.members.first,
        let command = CleverTapCommand(rawValue: only.key)
      {
        let isUsable = command.apply(only.value, to: &attributes[member.key])
        isUsable
          ? change(only.key, key) : change("fault", "\(only.key) has no value that it can have")
      } else {
        var nested = attributes[member.key]?.object ?? [:]
        merge(inner, into: &nested, at: key, change)
        attributes[member.key] = .object(nested)
      }
    }
  }

  /// Changes an attribute; false for a value that the command cannot have. Lists may come as one
  /// scalar.
  private func apply(_ value: JSON, to attribute: inout JSON?) -> Bool {
    let values = value.array ?? [value]
    let old = attribute?.array ?? attribute.map { [$0] } ?? []
    switch self {
    case .set, .add, .remove:
      guard !values.isEmpty, values.allSatisfy({ $0.string != nil || $0.number != nil }) else {
        return false
      }
      let rest = old.filter { !values.contains($0) }
      attribute = .array(self == .set ? values : self == .add ? rest + values : rest)
    case .increase, .decrease:
      guard let step = value.number else { return false }
      attribute = Self.sum(attribute, value, isNegative: self == .decrease, step)
    case .delete:
      guard value.bool == true || value.integer == 1 else { return false }
      attribute = nil
    }
    return true
  }

  private static func sum(
    _ old: JSON?, _ value: JSON, isNegative: Bool, _ step: Double
  ) -> JSON {
    if case .integer(let left) = old ?? 0, case .integer(let right) = value {
      let (sum, isTooMuch) =
        isNegative ? left.subtractingReportingOverflow(right) : left.addingReportingOverflow(right)
      if !isTooMuch { return .integer(sum) }
    }
    return .number((old?.number ?? 0) + (isNegative ? -step : step))
  }
}
