import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// What is left of a person where users are hashed, or are left out.
@Suite(.timeLimit(.minutes(20))) struct PersonalFieldsTests {
  private static let key = "0123456789abcdef0123456789abcdef"

  /// The events of a vendor's lines after an import with a key.
  private static func imported(_ format: String, _ lines: [String]) async throws -> String {
    let stage = try CommandLineFixture()
    try stage.write(lines.joined(separator: "\n") + "\n", to: "vendor.json")
    try stage.write(key, to: "key")
    let ending = await stage.engage(
      "import", "--as", format, "vendor.json", "--user-hash-key", "key", "--into", "all.ndjson")
    #expect(ending.status == .done, "\(ending)")
    return try String(contentsOf: stage.folder.appending(path: "all.ndjson"), encoding: .utf8)
  }

  private static func cleverTap(_ profile: String, _ properties: String = #"{"size":"L"}"#)
    -> String
  {
    #"{"ts":20261001090000,"eventName":"Tea ordered","profile":\#(profile),"#
      + #""eventProps":\#(properties)}"#
  }

  @Test(
    "X14: a hashed person's id is nowhere, whether it is a number or the same text as another field",
    arguments: [
      (#"{"identity":8675309}"#, "8675309"), (#"{"identity":"8675309"}"#, "8675309"),
      (#"{"identity":"ada@example.com","email":"ada@example.com"}"#, "ada@example.com"),
      (#"{"identity":"+14155550100","phone":"+14155550100"}"#, "4155550100"),
      (#"{"identity":"+14155550100","phone":14155550100}"#, "4155550100"),
      (#"{"email":"ada@example.com","phone":"+14155550100"}"#, "example.com"),
      (#"{"identity":"ada-1","email":["ada-1"],"x":{"who":["ada-1",{"ada-1":1}]}}"#, "ada-1"),
    ])
  func sameText(profile: String, id: String) async throws {
    let text = try await Self.imported("clevertap-export", [Self.cleverTap(profile)])
    #expect(!text.contains(id), "\(text)")
    #expect(text.contains(#""size":"L""#) && text.contains("userid"), "\(text)")
  }

  @Test("X14: an id that stands in another column or within a text is not left there")
  func within() async throws {
    let line =
      #"{"event_type":"users.behaviors.CustomEvent","id":"ada-1:7","time":1790845200,"#
      + #""user":{"external_user_id":"ada-1","device_id":"ada-1"},"properties":{"name":"Tea","#
      + #""session_id":"ada-1","custom_properties":{"page":"https://x.test/u?id=ADA-1&a=b","#
      + #""state":"{\"who\":\"ada-1\"}","size":"L","country":"NL"}}}"#
    let text = try await Self.imported("braze-currents", [line])
    #expect(!text.lowercased().contains("ada-1"), "\(text)")
    #expect(text.contains(#""size":"L""#) && text.contains("NL") && text.contains("Tea"))
  }

  /// Names of personal fields, as vendors and applications spell them.
  private static let names = [
    "phone", "Phone Number", "phoneNo", "MOBILE_NUMBER", "msisdn", "e-mail", "eMail", "userEmail",
    "EMAILADDRESS", "first_name", "FirstName", "lastname", "Surname", "full name", "dob",
    "dateOfBirth", "birth-day", "address", "addressLine1", "street", "zip", "postal_code", "ip",
    "ipAddress", "client_ip", "IPv4", "deviceId", "DEVICE_ID", "imei", "idfa", "IDFV", "gaid",
    "googleAdId", "advertising_id", "advertisingIdentifier", "android.id", "pushToken",
    "userAgent", "customerId", "user_name", "lat", "Longitude", "gender", "external_id",
    "name", "Name", "customer", "addr", "born", "uid", "mac", "social_security", "sms_number",
  ]

  @Test("X14: no field whose name is personal stays, however it is spelt and nested")
  func spellings() async throws {
    let flat = Self.names.map { #""\#($0)":"secret""# }.joined(separator: ",")
    let properties =
      #"{\#(flat),"size":"L","trip":[{\#(flat),"city":"Oslo"}],"device":{"id":"secret","os":"9"}}"#
    let text = try await Self.imported(
      "clevertap-export", [Self.cleverTap(#"{"identity":"ada","more":{\#(flat)}}"#, properties)])
    let line = try JSON(parsing: Array(text.utf8))
    let left = String(decoding: line.encoded(), as: UTF8.self)
    #expect(!left.contains("secret"), "\(left)")
    #expect(left.contains("Oslo") && left.contains(#""os":"9""#) && left.contains(#""size":"L""#))
  }

  @Test(
    "X14: an id and a contact are found in other forms of the same text",
    arguments: [
      ("jos\u{e9}", "de Jose\u{301}"), ("a/b c", #"a\/b c"#),
      ("ada@example.com", "ada\u{ff20}example.com"),
      ("x", "tel+4915123456789"), ("x", "+49/151/23456789"), ("x", "+ 49 151 23456789"),
      ("x", "\u{ff0b}\u{ff14}\u{ff19}15123456789"),
      ("x", "\u{7528}\u{6237}@\u{4f8b}\u{5b50}.\u{5e7f}\u{544a}"),
    ])
  func otherForms(id: String, text: String) async throws {
    let (id, value) = (JSON.string(id), JSON.string(text))
    let (profile, properties): (JSON, JSON) = (["identity": id], ["size": "L", "note": value])
    let line = Self.cleverTap(
      String(decoding: profile.encoded(), as: UTF8.self),
      String(decoding: properties.encoded(), as: UTF8.self))
    let left = try await Self.imported("clevertap-export", [line])
    #expect(left.contains(#""size":"L""#) && !left.contains("note"), "\(left)")
  }

  @Test("X14: a vendor's id of a device is hashed with the users, and left nowhere else")
  func devices() async throws {
    for id in ["IDFV-6D92078A", "6d92078a-8246-4ba4-9f0e-3a5d1c8b7e21"] {
      let lines = (1...2).map { number in
        #"{"event_type":"users.behaviors.CustomEvent","id":"\#(number)","time":1790845200,"#
          + #""user":{"external_user_id":"ada","device_id":"\#(id)"},"properties":{"name":"Tea","#
          + #""custom_properties":{"size":"L","from":"\#(id)"}}}"#
      }
      let text = try await Self.imported("braze-currents", lines)
      #expect(!text.lowercased().contains(id.lowercased()), "\(text)")
      let sources = try text.split(separator: "\n").map {
        try JSON(parsing: Array($0.utf8))["source"]?.string
      }
      #expect(sources.count == 2 && sources[0] == sources[1] && sources[0]?.isEmpty == false)
    }
  }

  @Test("X14: what is not personal stays as it was")
  func others() async throws {
    let properties =
      #"{"message_id":"m-1","campaign_name":"Autumn","price":1.50,"icon":"icon@2x.png","product":{"name":"Cup"},"#
      + #""description":"page 3","package":"x","platform":"iOS","version":"1.2.3.4"}"#
    let text = try await Self.imported(
      "clevertap-export", [Self.cleverTap(#"{"identity":"ada"}"#, properties)])
    #expect(text.contains(properties.dropFirst().dropLast()), "\(text)")
  }

  @Test("X14: --redact userid leaves nothing of the person in an export", arguments: [false, true])
  func redacted(isHashed: Bool) async throws {
    let scene = try await CommandScene()
    await scene.engage(
      "track", "Tea ordered", "size=large", "email=a@example.com", "who=u-1",
      "Phone No=+14155550100")
    await scene.emulator.stop()
    let naming = isHashed ? [] : ["--user-ids"]
    let ending = await scene.stage.run(["export", "--redact", "userid"] + naming)
    #expect(ending.status == .done && ending.output.contains(#""data":{"size":"large"}"#))
    #expect(!ending.output.contains("u-1") && !ending.output.contains("example.com"), "\(ending)")
    // Conditions name users as the export would.
    let id = await scene.stage.run(["export", "--kind", "custom"] + naming)
    let user = try #require(JSON(parsing: Array(id.output.utf8))["userid"]?.string)
    let one = await scene.stage.run(
      ["export", "--redact", "userid", "--kind", "custom", "--where", "userid=\(user)"] + naming)
    #expect(one.lines.count == 1, "\(one)")
  }

  @Test("X14: an export has personal data of the application's events only where asked for")
  func byDefault() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage(
      "track", "Tea ordered", "size=large", "email=a@example.com", "who=u-1",
      "note=call +1 (415) 555-0100", "phone=+14155550100", "sum=3+1234567", "at=+5 and 1234567")
    await scene.engage("track", "a@example.com signed up", "size=small")
    await scene.emulator.stop()
    let whole = await scene.stage.engage("export", "--personal-data")
    #expect(!whole.errors.contains("left out"), "\(whole)")
    #expect(whole.output.contains("a@example.com"), "\(whole)")
    let ending = await scene.stage.engage("export")
    #expect(ending.status == .done)
    #expect(
      ending.output.contains(
        #""data":{"size":"large","sum":"3+1234567","at":"+5 and 1234567"}"#), "\(ending)")
    for text in ["example.com", "u-1", "(415)", "4155550100"] {
      #expect(!ending.output.contains(text), "\(text): \(ending.output)")
    }
    #expect(
      ending.errors.contains(
        "In 2 events what may tell who the person is was left out: data.email, data.who, data.note, "
          + "data.phone, name; --personal-data keeps it.\n"), "\(ending.errors)")
    // Nothing else is another one, and what the vendor sent is as it was.
    #expect(zip(ending.lines, whole.lines).filter { $0 != $1 }.count == 2)
    #expect(ending.lines.count == whole.lines.count)
    let ids = await scene.stage.engage("export", "--user-ids")
    #expect(!ids.errors.contains("left out") && ids.output.contains("a@example.com"), "\(ids)")
    let both = await scene.stage.engage("export", "--personal-data", "--redact", "userid")
    #expect(both.status == .usage && both.errors.contains("exclude each other"), "\(both)")
  }

  @Test(
    "X14: an id is found where it is written in another way, as in an address of a page",
    arguments: [
      ("auth0|5f7c", "https://x.io/?u=auth0%7C5f7c"), ("auth0|5f7c", "auth0%257C5f7c!"),
      ("Ann Lee", "who=Ann+Lee"), ("Ann Lee", "Ann%20Lee"), ("Zo\u{eb}", "zo%C3%AB"),
      ("user-7f3a", "user%2D7f3a"), ("user-7f3a", #"{x: user\u002d7f3a}"#),
      ("u-77", "mail ada%2540example.com"), ("u-77", #"ada\u0040example.com"#),
      ("u-77", "tel:+15551234567"), ("u-77", "+359%20888%20123%20456"),
      ("u-77", "Hello \u{201c}u-77\u{201d}!"), ("u-77", "\u{a0}u-77"),
      ("u-77", "\u{7528}\u{6237}u-77"),
      ("u-77", "https://s.io/?n=%2Fp%2Fu-77"), ("u-77", "by u-1, a user of the same cache"),
    ])
  func encoded(id: String, text: String) async throws {
    let scene = try await CommandScene()
    await scene.engage("track", "Tea")
    await scene.engage("signin", id)
    await scene.engage(
      "track", "Tea", "size=large", "from=\(text)", "share=50%", "path=a\\u12",
      "word=u-771 u-77x xu-1", "email_verified=true")
    await scene.emulator.stop()
    let ending = await scene.stage.engage("export", "--kind", "custom")
    #expect(
      ending.output.contains(
        #""data":{"size":"large","share":"50%","path":"a\\u12","word":"u-771 u-77x xu-1","#
          + #""email_verified":true}"#),
      "\(ending)")
  }

  @Test("X14: a condition that would tell of whom hidden events are is refused with the next step")
  func conditions() async throws {
    let scene = try await CommandScene()
    await scene.engage("track", "Tea", "size=large", "email=a@example.com")
    await scene.engage("track", "Tea", "size=small", "email=b@example.com")
    await scene.emulator.stop()
    for (condition, option) in [
      ("data.email=a@example.com", "--personal-data"), ("data.email!=x", "--personal-data"),
      ("data.size=a@example.com", "--personal-data"), ("userid=u-1", "--user-ids"),
    ] {
      let ending = await scene.stage.engage("export", "--where", condition)
      #expect(ending.status == .usage && ending.output.isEmpty, "\(condition): \(ending)")
      #expect(ending.errors.contains("add \(option)."), "\(ending)")
    }
    let email = await scene.stage.engage(
      "export", "--personal-data", "--where", "data.email=a@example.com")
    #expect(email.lines.count == 1, "\(email)")
    let id = await scene.stage.engage(
      "export", "--user-ids", "--kind", "custom", "--where", "userid=u-1")
    #expect(id.lines.count == 2, "\(id)")
    // What is counted is what was exported, and a field that events have is not said to be in none.
    let one = await scene.stage.engage("export", "--where", "data.size=small")
    #expect(one.errors.contains("In 1 event what may tell"), "\(one)")
    let redacted = await scene.stage.engage("export", "--redact", "data.email")
    #expect(!redacted.errors.contains("no event has it"), "\(redacted)")
    #expect(!redacted.output.contains("example.com"), "\(redacted)")
  }
}
