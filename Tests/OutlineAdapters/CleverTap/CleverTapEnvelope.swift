import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import FoundationEssentials

/// What the vendor is told around everything: who asks, from which device, in which session.
struct CleverTapEnvelope {
  let configuration: CleverTapConfiguration
  let memory: CleverTapMemory
  let context: AdapterContext

  /// The first element of every body. It holds the account's token in clear: the vendor signs
  /// nothing.
  var meta: JSON {
    var meta: JSONObject = ["type": "meta"]
    meta["g"] = memory.guid.map(JSON.string)
    meta["tk"] = .string(configuration.token.revealed)
    meta["id"] = .string(configuration.accountID)
    meta["af"] = .object(application)
    meta["ddnd"] = .bool(context.push.isEmpty)
    meta["frs"] = .bool(memory.values[.user, CleverTapMemory.Name.session] != sessionMark)
    meta["l_ts"] = .integer(memory.integer(CleverTapMemory.Name.lastRequest) ?? 0)
    meta["f_ts"] = .integer(memory.integer(CleverTapMemory.Name.firstRequest) ?? 0)
    let arp = memory.arp
    if !arp.isEmpty { meta["arp"] = .object(arp) }
    meta["_i"] = memory.integer(CleverTapMemory.Name.i).map(JSON.integer)
    meta["_j"] = memory.integer(CleverTapMemory.Name.j).map(JSON.integer)
    meta["imp"] = .integer(Int64(context.counters.shownToday))
    meta["tlc"] = .array(context.counters.campaigns.map(count))
    return .object(meta)
  }

  private var sessionMark: String { CleverTapMemory.mark(of: context.session) }

  private func count(_ count: CampaignCounters.Count) -> JSON {
    [.string(count.campaign), .integer(Int64(count.today)), .integer(Int64(count.lifetime))]
  }

  /// The application and the device, which an `App Launched` repeats.
  var application: JSONObject {
    let device = context.device
    var fields = JSONObject()
    fields["Version"] = device.appVersion.map(JSON.string)
    fields["Build"] = device.appBuild.map(JSON.string)
    fields["SDK Version"] = .integer(Int64(configuration.clientRevision))
    fields["Model"] = device.model.map(JSON.string)
    fields["Latitude"] = device.location.map { .number($0.latitude) }
    fields["Longitude"] = device.location.map { .number($0.longitude) }
    fields["Make"] = device.make.map(JSON.string)
    fields["OS Version"] = .string(device.systemVersion)
    fields["useIP"] = false
    fields["OS"] = .string(device.system)
    fields["locale"] = .string(device.locale)
    return fields
  }

  /// One element of a body: its own members and what every element says.
  ///
  /// - Parameter session: The session in which it happened, where that is known.
  func item(
    _ type: String, _ members: JSONObject, at time: Date, in session: SessionID?
  ) -> JSON {
    var item: JSONObject = ["type": .string(type)]
    for member in members.members { item[member.key] = member.value }
    item["ep"] = Epoch.wholeSeconds(of: time).map(JSON.integer)
    // A session is told by the second in which it began, which is known of the present one alone.
    if let present = context.session, session == present.id {
      item["s"] = Epoch.wholeSeconds(of: present.startedAt).map(JSON.integer)
      item["pg"] = 1
      item["lsl"] = .integer(present.previousLength?.components.seconds ?? 0)
      item["f"] = .bool(present.isFirst)
    }
    if type == "event" { item["pai"] = .string(context.device.appID) }
    return .object(item)
  }
}
