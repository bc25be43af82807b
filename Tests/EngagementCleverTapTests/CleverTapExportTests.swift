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
    ("Notification Sent", "engage.send"), ("Notification Viewed", "engage.impression"),
    ("Notification Clicked", "engage.click"), ("Push Impressions", "engage.push.receive"),
    ("App Launched", "engage.launch"), ("Charged", "engage.purchase"),
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
    #expect(lines.prefix(4).allSatisfy { $0["subject"] == "clevertap/1790_20261001" })
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
        "subject":"clevertap/7_1","time":"2026-10-01T09:00:00.000Z","sequence":9,
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
        "container", "id", "recordedtime", "sequence", "sessionid", "surface", "type", "uptime",
        "zoneoffset",
      ])
    // The kind is the same; whose item it was is what CleverTap's name does not say.
    #expect(back["type"] == "engage.click")
  }
}
