import EngagementAnalytics
import EngagementCleverTapTools
import EngagementJSON
import EngagementModel
import EngagementVendors
import Testing
import VendorEventFixtures

/// CleverTap's export of events. The records are made up after the shape of its public page.
@Suite struct CleverTapExportTests {
  private static let trip = VendorEventTrip(VendorRegistration.cleverTap.eventTables[0])

  /// Each name with our type of it.
  static let kinds = [
    ("Notification Sent", "engage.campaign.send"),
    ("Notification Viewed", "engage.campaign.impression"),
    ("Notification Clicked", "engage.campaign.click"), ("Push Impressions", "engage.push.receive"),
    ("App Launched", "engage.launch"), ("Charged", "engage.purchase"),
    ("Session Concluded", "engage.session.end"),
    ("Tea ordered", "engage.custom"), ("UTM Visited", "engage.custom"),
    ("App Uninstalled", "engage.custom"),
  ]

  private static func record(_ name: String) -> String {
    let profile =
      #"{"identity":"ada","objectId":"device-1","all_identities":["ada","a@example.com"],"#
      + #""platform":"iOS","phone":"+4930123","name":"Ada","email":"a@example.com","push_token":"t"}"#
    let properties =
      #"{"wzrk_id":"1790_20261001","wzrk_c2a":"ok","Campaign type":"InApp","Amount":25.0,"#
      + #""Items":[{"Name":"tea","Price":12.5}],"CT App Version":"3.2"}"#
    return #"{"ts":20261001090000,"eventName":"\#(name)","profile":\#(profile),"#
      + #""deviceInfo":{"make":"Apple","model":"iPhone17,1","osVersion":"26.0"},"#
      + #""eventProps":\#(properties),"sessionProps":{"utm_source":"mail"},"controlGroupName":""}"#
  }

  @Test("X14: each kind of CleverTap's events comes back as the same object", arguments: kinds)
  func comesBack(name: String, type: String) throws {
    let line = Self.record(name)
    let ours = Self.trip.ours(of: [line])
    #expect(ours.faults.isEmpty)
    let event = try #require(ours.lines.first)
    #expect(event["type"]?.string == type)
    #expect(event["name"]?.string == (type == "engage.custom" ? name : nil))
    #expect(event["userid"] == "ada" && event["source"] == "device-1")
    #expect(event["time"] == "2026-10-01T09:00:00.000Z")
    #expect(event["data"]?["clevertap.profile.email"] == "a@example.com")
    #expect(event["data"]?["clevertap.deviceInfo"]?["make"] == "Apple")
    #expect(event["data"]?["Campaign type"] == "InApp")
    #expect(
      try Self.trip.vendors(of: ours.lines)
        == [JSON(parsing: Array(line.utf8))])
  }

  @Test("X14: a notification of CleverTap has its campaign as the item")
  func items() {
    let lines = Self.trip.ours(of: Self.kinds.map { Self.record($0.0) }).lines
    #expect(lines.prefix(4).allSatisfy { $0["subject"] == "clevertap/1790" })
    #expect(lines.prefix(4).allSatisfy { $0["provider"] == "clevertap" })
    #expect(lines.dropFirst(4).allSatisfy { $0["subject"] == nil && $0["provider"] == nil })
    #expect(lines[2]["data"]?["button"] == "ok")
  }

  @Test("X14: an identity that is a number is a user, and comes back as a number")
  func numbers() throws {
    let line = #"{"ts":20261001090000,"eventName":"Tea","profile":{"identity":5551234567}}"#
    let ours = Self.trip.ours(of: [line]).lines
    #expect(ours.first?["userid"] == "5551234567")
    #expect(
      try Self.trip.vendors(of: ours) == [JSON(parsing: Array(line.utf8))])
  }

  @Test("X14: an event of ours loses at CleverTap only what CleverTap has no word for")
  func losses() throws {
    let event = try JSON(
      parsing: Array(
        #"""
        {"specversion":"1.0","id":"1","source":"urn:uuid:1","type":"engage.campaign.click",
        "subject":"clevertap/7","time":"2026-10-01T09:00:00.000Z","sequence":9,
        "recordedtime":"2026-10-01T09:00:01.000Z","uptime":5,"zoneoffset":3600,"userid":"ada",
        "sessionid":"s-1","provider":"clevertap","surface":"campaigns","container":"home",
        "data":{"button":"ok","url":"x"}}
        """#.utf8))
    let vendors = Self.trip.vendors(of: [event])
    #expect(vendors.first?["eventName"] == "Notification Clicked")
    let back = try #require(
      Self.trip.ours(of: vendors.map { String(decoding: $0.encoded(), as: UTF8.self) }).lines.first)
    let lost = (event.object?.members ?? []).filter { back[$0.key] != $0.value }.map(\.key).sorted()
    #expect(
      lost == [
        "container", "data", "id", "recordedtime", "sequence", "sessionid", "uptime", "zoneoffset",
      ])
    // The kind of item is a property there.
    #expect(back["data"]?["Campaign type"] == "InApp" && back["data"]?["button"] == "ok")
  }

  private static func read(_ properties: String, profile: String = "{}") -> (JSON?, [JSON]) {
    let line =
      #"{"ts":20261001090000,"eventName":"Notification Viewed","profile":\#(profile),"#
      + #""eventProps":\#(properties)}"#
    let ours = trip.ours(of: [line]).lines
    #expect(trip.vendors(of: ours).first == (try? JSON(parsing: Array(line.utf8))))
    return (ours.first, ours)
  }

  @Test("X14: the campaign is the item, in each form that CleverTap writes it in")
  func campaign() {
    for properties in [
      #"{"Campaign id":"1790","wzrk_id":"17_20261001"}"#, #"{"Campaign id":1790}"#,
      #"{"wzrk_id":"1790_20261001"}"#, #"{"wzrk_id":"1790"}"#, #"{"wzrk_id":1790}"#,
    ] {
      #expect(Self.read(properties).0?["subject"] == "clevertap/1790", "\(properties)")
    }
  }

  @Test("X14: who has no identity is known by the address or the telephone")
  func identities() {
    for (profile, user) in [
      (#"{"identity":"ada","email":"a@example.com"}"#, "ada"),
      (#"{"identity":"a@example.com","email":"a@example.com"}"#, "a@example.com"),
      (#"{"email":"a@example.com","phone":"+4930"}"#, "a@example.com"),
      (#"{"phone":4930}"#, "4930"),
    ] {
      #expect(Self.read("{}", profile: profile).0?["userid"]?.string == user, "\(profile)")
    }
  }

  @Test("X14: the channel of a notification is the kind of its item")
  func channels() {
    for (channel, type) in [
      ("Mobile Push - Android", "engage.push.impression"), ("InApp", "engage.campaign.impression"),
      ("App Inbox", "engage.message.impression"), ("Email", "engage.impression"),
    ] {
      let event = Self.read(#"{"Campaign type":"\#(channel)","wzrk_id":"1"}"#).0
      #expect(event?["type"]?.string == type)
    }
  }

  @Test("X14: the name of the events may stand on the first line of a file")
  func heading() {
    let line = #"{"ts":20261001090000,"profile":{"identity":"ada"},"eventProps":{}}"#
    let ours = Self.trip.ours(of: ["Notification Viewed", line, line])
    #expect(ours.faults.isEmpty && ours.lines.count == 2)
    #expect(ours.lines.allSatisfy { $0["type"] == "engage.impression" })
    #expect(Self.trip.ours(of: [line]).faults == ["1: It has no eventName."])
  }

  @Test("X14: times are of the zone that is named")
  func zone() throws {
    var table = VendorRegistration.cleverTap.eventTables[0]
    table.timeFormat = .digits(zoneOffset: 19_800)
    let trip = VendorEventTrip(table)
    let line = #"{"ts":20260801072952,"eventName":"Tea"}"#
    let ours = trip.ours(of: [line]).lines
    #expect(ours.first?["time"] == "2026-08-01T01:59:52.000Z")
    #expect(try trip.vendors(of: ours) == [JSON(parsing: Array(line.utf8))])
  }
}
