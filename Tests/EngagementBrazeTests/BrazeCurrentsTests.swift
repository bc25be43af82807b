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
    ("users.messages.email.Open", nil), ("users.messages.banner.Click", "engage.click"),
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
    let banner = Self.kinds.firstIndex { $0.name.contains("banner") } ?? 0
    #expect(subjects[banner] == "braze/campaign-1 braze")
    #expect(subjects.indices.dropFirst(13).allSatisfy { $0 == banner || subjects[$0] == " " })
    #expect(lines[14]["name"] == "tea" && lines[14]["data"]?["price"] == 12.5)
    #expect(lines[14]["data"]?["colour"] == "green" && lines[13]["data"]?["size"] == "L")
  }

  private static func read(_ name: String, _ properties: String, user: String = "{}") -> JSON? {
    let line =
      #"{"event_type":"users.\#(name)","id":"1","time":1790845200,"user":\#(user),"#
      + #""properties":\#(properties)}"#
    let ours = trip.ours(of: [line]).lines
    #expect(trip.vendors(of: ours).first == (try? JSON(parsing: Array(line.utf8))))
    return ours.first
  }

  @Test("X14: a message of a Canvas is of its step")
  func canvas() {
    let click = "messages.inappmessage.Click"
    let step = Self.read(click, #"{"canvas_id":"c","canvas_step_id":"s"}"#)
    #expect(step?["subject"] == "braze/s")
    #expect(Self.read(click, #"{"canvas_id":"c"}"#)?["subject"] == "braze/c")
    #expect(
      Self.read(click, #"{"campaign_id":"m","canvas_id":"c"}"#)?["subject"] == "braze/m")
  }

  @Test("X14: who has no external id is known by the id that Braze made")
  func anonymous() {
    let name = "behaviors.app.SessionStart"
    #expect(Self.read(name, "{}", user: #"{"user_id":"b-1"}"#)?["userid"] == "b-1")
    let both = #"{"user_id":"b-1","external_user_id":"ada"}"#
    #expect(Self.read(name, "{}", user: both)?["userid"] == "ada")
  }

  @Test("X14: who unsubscribes from all has opted out, and who subscribes has not")
  func optOut() {
    let name = "behaviors.subscription.GlobalStateChange"
    let out = Self.read(name, #"{"subscription_status":"Unsubscribed"}"#)
    #expect(out?["type"] == "engage.optout")
    #expect(
      Self.read(name, #"{"subscription_status":"Opted In"}"#)?["type"] == "engage.custom")
  }

  @Test("X14: an installation is the same at Braze and with us")
  func installation() throws {
    let id = "2f47b7a2-51b8-4c3d-9f8b-3c4d5e6f7a8b"
    let event = Self.read("behaviors.Uninstall", "{}", user: #"{"device_id":"\#(id)"}"#)
    #expect(event?["source"]?.string == "urn:uuid:\(id)")
    let odd = #"{"device_id":"urn:uuid:\#(id)"}"#
    #expect(
      Self.read("behaviors.Uninstall", "{}", user: odd)?["source"]?.string == "urn:uuid:\(id)")
  }

  @Test("X14: where users are hashed, nothing else tells who they are")
  func hashed() throws {
    let line =
      #"{"event_type":"users.behaviors.Uninstall","id":"1","time":1790845200,"#
      + #""user":{"external_user_id":"ada","user_id":"b-1","timezone":"UTC"},"#
      + #""properties":{"email_address":"ada@example.com","app_id":"x"}}"#
    var decoder = VendorEventDecoder(VendorRegistration.braze.eventTables[0]) { _ in "hash" }
    var texts: [String] = []
    func take(_ line: Int, _ event: DecodedEvent) {
      guard case .event(let record) = event else { return }
      var encoder = NDJSONEncoder()
      record.send(to: &encoder)
      texts.append(String(decoding: encoder.bytes, as: UTF8.self))
    }
    decoder.decode(Array(line.utf8), take)
    decoder.finish(take)
    let text = try #require(texts.first)
    #expect(text.contains(#""userid":"hash""#) && text.contains("UTC") && text.contains("app_id"))
    #expect(!text.contains("ada") && !text.contains("b-1"))
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
