import EngagementAnalytics
import EngagementBrazeTools
import EngagementJSON
import EngagementModel
import EngagementVendors
import Testing
import VendorEventFixtures

/// Braze's export of events. The records are made up after the shapes of its public pages.
@Suite struct BrazeCurrentsTests {
  private static let trip = VendorEventTrip(VendorRegistration.braze.eventTables[0])

  /// Each documented kind with our type of it; nil where the name is kept.
  static let kinds: [(name: String, type: String?)] = [
    ("users.messages.contentcard.Send", "engage.card.send"),
    ("users.messages.contentcard.Impression", "engage.card.impression"),
    ("users.messages.contentcard.Click", "engage.card.click"),
    ("users.messages.contentcard.Dismiss", "engage.card.dismiss"),
    ("users.messages.contentcard.Abort", "engage.card.abort"),
    ("users.messages.inappmessage.Impression", "engage.campaign.impression"),
    ("users.messages.inappmessage.Click", "engage.campaign.click"),
    ("users.messages.inappmessage.Abort", "engage.campaign.abort"),
    ("users.messages.pushnotification.Send", "engage.push.send"),
    ("users.messages.pushnotification.Open", "engage.push.click"),
    ("users.messages.pushnotification.Bounce", "engage.push.bounce"),
    ("users.messages.pushnotification.IosForeground", "engage.push.foreground"),
    ("users.messages.pushnotification.Abort", "engage.push.abort"),
    ("users.behaviors.CustomEvent", "engage.custom"),
    ("users.behaviors.Purchase", "engage.purchase"),
    ("users.behaviors.app.SessionStart", "engage.session.start"),
    ("users.behaviors.app.SessionEnd", "engage.session.end"),
    ("users.behaviors.app.FirstSession", nil), ("users.behaviors.Location", nil),
    ("users.behaviors.Uninstall", nil), ("users.behaviors.subscription.GlobalStateChange", nil),
    ("users.messages.banner.Click", nil), ("users.messages.email.Open", nil),
    ("users.messages.sms.Delivery", nil), ("users.messages.whatsapp.Read", nil),
    ("users.campaigns.Conversion", nil), ("users.canvas.Entry", nil),
    ("users.canvas.exit.PerformedEvent", nil), ("users.campaigns.EnrollInControl", nil),
  ]

  private static func record(_ name: String) -> String {
    let properties = [
      #""app_id":"a-1","platform":"ios","os_version":"iOS 26.0","device_model":"iPhone 17""#,
      #""campaign_id":"campaign-1","campaign_name":"Autumn","message_variation_id":"v-1""#,
      #""canvas_id":"c-1","canvas_step_id":"s-1","send_id":"send-1","dispatch_id":"d-1""#,
      #""content_card_id":"card-1","button_id":"0","name":"Tea ordered","product_id":"tea""#,
      #""price":12.50,"currency":"EUR","quantity":2,"session_id":"session-1","duration":7.25"#,
      #""ad_tracking_enabled":true,"custom_properties":{"size":"L","list":["a",1]}"#,
      #""purchase_properties":{"price":"dear","colour":"green"},"abort_log":"quiet hours""#,
    ].joined(separator: ",")
    let user =
      #"{"user_id":"0123","external_user_id":"ada","device_id":"device-1","timezone":"America/Chicago"}"#
    return #"{"event_type":"\#(name)","id":"id-1","time":1790845200,"user":\#(user),"#
      + #""properties":{\#(properties)}}"#
  }

  @Test("X14: each kind of Braze's events comes back as the same object", arguments: kinds)
  func comesBack(name: String, type: String?) throws {
    let line = Self.record(name)
    let ours = Self.trip.ours(of: [line])
    #expect(ours.faults.isEmpty)
    let event = try #require(ours.lines.first)
    #expect(event["type"]?.string == type ?? "engage.custom")
    if type == nil { #expect(event["name"]?.string == name) }
    #expect(event["userid"] == "ada" && event["id"] == "id-1" && event["source"] == "device-1")
    #expect(event["time"] == "2026-10-01T09:00:00.000Z" && event["sessionid"] == "session-1")
    #expect(event["data"]?["braze.user.timezone"] == "America/Chicago")
    #expect(
      try Self.trip.vendors(of: ours.lines)
        == [JSON(parsing: Array(line.utf8))])
  }

  @Test("X14: an event on an item of Braze has the item and the provider")
  func items() throws {
    let lines = Self.trip.ours(of: Self.kinds.map { Self.record($0.name) }).lines
    let subjects = lines.map { "\($0["subject"]?.string ?? "") \($0["provider"]?.string ?? "")" }
    #expect(subjects.prefix(5).allSatisfy { $0 == "braze/card-1 braze" })
    #expect(subjects[5..<13].allSatisfy { $0 == "braze/campaign-1 braze" })
    #expect(subjects.dropFirst(13).allSatisfy { $0 == " " })
    #expect(lines[14]["name"] == "tea" && lines[14]["data"]?["price"] == 12.5)
    #expect(lines[14]["data"]?["colour"] == "green" && lines[13]["data"]?["size"] == "L")
  }

  @Test("X14: an event of ours loses at Braze only what Braze has no word for")
  func losses() throws {
    let columns = #"""
      "id":"1","source":"urn:uuid:1","subject":"braze/card-1","time":"2026-10-01T09:00:00.000Z",
      "sequence":9,"recordedtime":"2026-10-01T09:00:01.000Z","uptime":5,"zoneoffset":3600,
      "userid":"ada","sessionid":"s-1","provider":"braze","surface":"cards","container":"home",
      "data":{"colour":"green"}
      """#.replacing("\n", with: "")
    let event = try JSON(
      parsing: Array(#"{"specversion":"1.0","type":"engage.card.click",\#(columns)}"#.utf8))
    let back = try #require(Self.back(event))
    #expect(
      Self.lost(event, back) == ["container", "recordedtime", "sequence", "uptime", "zoneoffset"])
    let other = try JSON(
      parsing: Array(
        #"{"specversion":"1.0","type":"engage.card.snooze","name":"n",\#(columns)}"#.utf8))
    let snoozed = try #require(Self.back(other))
    #expect(snoozed["type"] == "engage.card.snooze")
    #expect(
      Self.lost(other, snoozed) == [
        "container", "name", "provider", "recordedtime", "sequence", "subject", "surface", "uptime",
        "zoneoffset",
      ])
  }

  @Test("X14: a time of ours reaches Braze without its fraction of a second")
  func fractions() throws {
    let event = try JSON(
      parsing: Array(
        #"{"specversion":"1.0","id":"1","source":"a","type":"engage.custom","name":"n","sequence":1,"time":"2026-10-01T09:00:00.750Z"}"#
          .utf8))
    #expect(Self.trip.vendors(of: [event]).first?["time"] == 1_790_845_200)
  }

  private static func back(_ event: JSON) -> JSON? {
    let vendors = trip.vendors(of: [event]).map { String(decoding: $0.encoded(), as: UTF8.self) }
    return trip.ours(of: vendors).lines.first
  }

  /// The columns that are not what they were.
  private static func lost(_ event: JSON, _ back: JSON) -> [String] {
    (event.object?.members ?? []).filter { back[$0.key] != $0.value }.map(\.key).sorted()
  }
}
