import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform

/// Writes the parts that all requests share: the account, the device and the session.
struct CleverTapEnvelope {
  let configuration: CleverTapConfiguration
  let memory: CleverTapMemory
  let context: AdapterContext

  /// The first element of every body. It contains the account's token as plain text, because the
  /// vendor uses no signatures.
  func meta(withReport: Bool) -> JSON {
    var meta: JSONObject = ["type": "meta"]
    meta["g"] = memory.guid.map(JSON.string)
    meta["tk"] = .string(configuration.token.revealed)
    meta["id"] = .string(configuration.accountID)
    meta["af"] = .object(application)
    meta["ddnd"] = .bool(context.push.isEmpty)
    let isFirstOfSession = memory.values[.user, CleverTapMemory.Name.session] != sessionMark
    meta["frs"] = .bool(isFirstOfSession)
    // The vendor's clients say this once after the application came to the foreground.
    meta["fl"] = .bool(isFirstOfSession && context.session != nil)
    meta["l_ts"] = .integer(memory.integer(CleverTapMemory.Name.lastRequest) ?? 0)
    meta["f_ts"] = .integer(memory.integer(CleverTapMemory.Name.firstRequest) ?? 0)
    let arp = memory.arp
    if !arp.isEmpty { meta["arp"] = .object(arp) }
    meta["_i"] = memory.integer(CleverTapMemory.Name.i).map(JSON.integer)
    meta["_j"] = memory.integer(CleverTapMemory.Name.j).map(JSON.integer)
    meta["imp"] = .integer(Int64(context.counters.shownToday))
    meta["tlc"] = .array(context.counters.campaigns.map(count))
    if withReport { add(context.campaignReport, to: &meta) }
    return .object(meta)
  }

  /// What the device found out about campaigns. The vendor's clients leave out an empty list, and ids
  /// that are no numbers.
  private func add(_ report: CampaignReport, to meta: inout JSONObject) {
    let due = report.due.compactMap { Int64($0) }.map(JSON.integer)
    if !due.isEmpty { meta["inapps_eval"] = .array(due) }
    let suppressed = report.suppressed.compactMap { suppression(of: CleverTapHandle($0)) }
    if !suppressed.isEmpty { meta["inapps_suppressed"] = .array(suppressed) }
  }

  /// The clients make the id of a suppressed campaign from its number and the local day.
  private func suppression(of handle: CleverTapHandle) -> JSON? {
    let made = handle.number.map { JSON.string("\($0)_\(today)") }
    guard let id = made ?? handle.campaign["wzrk_id"] else { return nil }
    var entry: JSONObject = ["wzrk_id": id]
    entry["wzrk_pivot"] = handle.campaign["wzrk_pivot"] ?? CleverTapHandle.defaultPivot
    entry["wzrk_cgId"] = handle.campaign["wzrk_cgId"]
    return .object(entry)
  }

  /// The local day as eight digits.
  private var today: String {
    let local = context.now.addingTimeInterval(TimeInterval(context.device.zoneOffset))
    return ISO8601.text(of: local, as: .day)?.filter { $0 != "-" } ?? ""
  }

  private var sessionMark: String { CleverTapMemory.mark(of: context.session) }

  private func count(_ count: CampaignCounters.Count) -> JSON {
    [.string(count.campaign), .integer(Int64(count.today)), .integer(Int64(count.lifetime))]
  }

  /// The description of the application and the device. `App Launched` repeats it.
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

  /// An element of a body: its own members and the members that every element has.
  ///
  /// - Parameter session: The session in which it happened, if known.
  func item(
    _ type: String, _ members: JSONObject, at time: Date, in session: SessionID?
  ) -> JSON {
    var item: JSONObject = ["type": .string(type)]
    for member in members.members { item[member.key] = member.value }
    item["ep"] = Epoch.wholeSeconds(of: time).map(JSON.integer)
    // The vendor identifies a session by its first second. Its clients send zeros before their first
    // session.
    let session = session.flatMap(context.session)
    item["s"] = .integer(session.flatMap { Epoch.wholeSeconds(of: $0.startedAt) } ?? 0)
    item["pg"] = 1
    item["lsl"] = .integer(session?.previousLength?.components.seconds ?? 0)
    item["f"] = .bool(session?.isFirst ?? false)
    if type == "event" { item["pai"] = .string(context.device.appID) }
    return .object(item)
  }
}
