import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors

/// What the vendor's calls send: a meta object, and the items after it.
///
/// What is checked here each of the vendor's phone clients sends always, and what is refused none
/// sends. The README of this folder names the sources.
struct CleverTapServerBatch: Sendable {
  /// Which call it came with.
  enum Kind: Sendable { case events, templates, fetch, delete }

  let meta: JSONObject
  let items: [JSONObject]
  let isAndroid: Bool

  /// The device's id.
  var guid: String { meta["g"]?.string ?? "" }

  init(_ call: VendorRequest, _ kind: Kind) throws(CleverTapRefusal) {
    try Self.checkHeaders(of: call)
    // The iOS client defines templates without a query.
    try Self.checkQuery(of: call, isOptional: kind == .templates, hasTime: true)
    guard let elements = (try? JSON(parsing: call.body))?.array else {
      throw CleverTapRefusal(400, "The body is not a JSON array")
    }
    let objects = elements.compactMap(\.object)
    guard objects.count == elements.count, let meta = objects.first else {
      throw CleverTapRefusal(400, "The body is not an array of objects")
    }
    try CleverTapMeta.check(meta, call)
    self.meta = meta
    items = Array(objects.dropFirst())
    isAndroid = call.query("os") == "Android" || meta["af"]?["OS"] == "Android"
    switch kind {
    case .events:
      guard (1...limit).contains(items.count) else {
        throw CleverTapRefusal(400, "A batch has 1 to \(limit) items and not \(items.count)")
      }
      for item in items { try CleverTapItem.check(item) }
    case .templates, .fetch, .delete:
      guard items.count == 1 else {
        throw CleverTapRefusal(400, "The body is not the meta object and one more")
      }
    }
  }

  /// The Android client sends one item more than the iOS client.
  private var limit: Int { isAndroid ? 50 : 49 }

  /// The identity that one of the items gives the device.
  var identity: String? {
    let identities = items.compactMap { $0["profile"]?["Identity"] }
    return identities.last.flatMap { $0.string ?? $0.integer.map { "\($0)" } }
  }

  /// Whether one of the items is the event, with these data if they are given.
  func has(_ name: String, data: JSON? = nil) -> Bool {
    items.contains { item in
      item["evtName"]?.string == name && (data == nil || item["evtData"] == data)
    }
  }

  private static func checkHeaders(of call: VendorRequest) throws(CleverTapRefusal) {
    guard call.header("X-CleverTap-Encryption-Enabled") == nil else {
      // Both clients send the batch again in clear.
      throw CleverTapRefusal(402, "The account has no encryption in transit")
    }
    guard call.header("Content-Type")?.lowercased() == "application/json; charset=utf-8" else {
      throw CleverTapRefusal(400, "The Content-Type is not application/json; charset=utf-8")
    }
  }

  /// The members of the query: the system, the version of the client, the account and the time.
  static func checkQuery(
    of call: VendorRequest, isOptional: Bool, hasTime: Bool
  ) throws(CleverTapRefusal) {
    let names = ["os", "t", "z"] + (hasTime ? ["ts"] : [])
    if isOptional, names.allSatisfy({ call.query($0) == nil }) { return }
    func isDigits(_ text: String?) -> Bool {
      guard let text, !text.isEmpty else { return false }
      return text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard ["iOS", "Android"].contains(call.query("os")) else {
      throw CleverTapRefusal(400, "The os in the query is neither iOS nor Android")
    }
    guard isDigits(call.query("t")) else {
      throw CleverTapRefusal(400, "The t in the query is no version of a client")
    }
    guard call.query("z") == call.header("X-CleverTap-Account-Id") else {
      throw CleverTapRefusal(400, "The z in the query is not the account of the header")
    }
    guard !hasTime || isDigits(call.query("ts")) else {
      throw CleverTapRefusal(400, "The ts in the query is no time in seconds")
    }
  }
}

extension CleverTapServerBatch {
  /// The campaigns that the device says it has presented. The vendor decides on these itself.
  var shownCampaigns: Set<String> {
    let counts = (meta["tlc"]?.array ?? []).compactMap(\.array)
    return Set(
      counts.filter { $0.last?.integer ?? 0 > 0 }.compactMap { CleverTapCampaign.id($0.first) })
  }
}

/// The first element of a body.
enum CleverTapMeta {
  private static let texts = ["g", "tk", "id"]
  private static let numbers = ["l_ts", "f_ts"]
  private static let flags = ["ddnd", "frs", "fl"]
  private static let optional = [
    "type", "af", "arp", "ref", "wzrk_ref", "regURLs", "debug", "imp", "tlc", "inapps_eval",
    "inapps_suppressed", "_i", "_j", "ct_pi", "bk", "rtl", "rct", "ait", "d_src",
  ]

  static func check(_ meta: JSONObject, _ call: VendorRequest) throws(CleverTapRefusal) {
    guard meta["type"] == "meta" else {
      throw CleverTapRefusal(400, "The first element is not of the type meta")
    }
    for name in texts where meta[name]?.string?.isEmpty != false {
      throw CleverTapRefusal(400, "The meta object lacks the text \(name)")
    }
    for name in numbers where meta[name]?.integer == nil {
      throw CleverTapRefusal(400, "The meta object lacks the number \(name)")
    }
    for name in flags where meta[name]?.bool == nil {
      throw CleverTapRefusal(400, "The meta object lacks the truth value \(name)")
    }
    guard meta["id"]?.string == call.header("X-CleverTap-Account-Id"),
      meta["tk"]?.string == call.header("X-CleverTap-Token")
    else { throw CleverTapRefusal(401, "The meta object and the headers name two accounts") }
    let known = texts + numbers + flags + optional
    for member in meta.members where !known.contains(member.key) {
      throw CleverTapRefusal(400, "No client sends \(member.key) in the meta object")
    }
    try checkFields(of: meta)
    try checkCampaigns(in: meta)
  }

  /// The fields of the application and of the device.
  private static func checkFields(of meta: JSONObject) throws(CleverTapRefusal) {
    for name in ["Version", "OS Version", "OS"] where meta["af"]?[name]?.string?.isEmpty != false {
      throw CleverTapRefusal(400, "The fields in af lack the text \(name)")
    }
    guard meta["af"]?["SDK Version"]?.integer != nil, meta["af"]?["useIP"]?.bool != nil else {
      throw CleverTapRefusal(400, "The fields in af lack SDK Version or useIP")
    }
  }

  private static func checkCampaigns(in meta: JSONObject) throws(CleverTapRefusal) {
    if let shown = meta["imp"], shown.integer == nil {
      throw CleverTapRefusal(400, "The imp of the meta object is no number")
    }
    let counts = meta["tlc"].map { $0.array ?? [.null] } ?? []
    for count in counts {
      let parts = count.array ?? []
      guard parts.count == 3, CleverTapCampaign.id(parts[0]) != nil,
        parts.dropFirst().allSatisfy({ $0.integer != nil })
      else { throw CleverTapRefusal(400, "The tlc of the meta object has no three parts") }
    }
    if let ids = meta["inapps_eval"],
      ids.array?.isEmpty != false
        || ids.array?.allSatisfy({ CleverTapCampaign.id($0) != nil }) != true
    {
      throw CleverTapRefusal(400, "The inapps_eval of the meta object are no ids")
    }
    let suppressed = meta["inapps_suppressed"].map { $0.array ?? [.null] } ?? []
    for campaign in suppressed {
      guard campaign["wzrk_id"]?.string?.isEmpty == false, campaign["wzrk_pivot"]?.string != nil
      else { throw CleverTapRefusal(400, "The inapps_suppressed of the meta object lack ids") }
    }
  }
}
