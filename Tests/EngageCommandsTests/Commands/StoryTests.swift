import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

@Suite(.timeLimit(.minutes(20))) struct StoryTests {
  @Test("init, sync, cards, an action, events and doctor print the expected text")
  func story() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    let start = await stage.engage("init")
    #expect(start.output.hasPrefix("Wrote engage.json.\n"))
    let providers = await stage.engage("providers", "--json").lines
    #expect(providers.count == 4, "Braze, Vibes, CleverTap and Atomic")
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    #expect(await stage.engage("cards").errors == "The cache is empty; run \"engage sync\".\n")
    #expect(
      await stage.engage("sync", by: braze).output == """
        PROVIDER  WHAT   OUTCOME  ITEMS  WAITING  NOTE
        braze     cards  fresh        3        0

        """)
    #expect(
      await stage.engage("cards").output == """
        ID         KIND            STATE       TITLE         TEXT
        braze/c-1  classic         pinned new  Fresh roast   Beans of the week
        braze/c-2  captionedImage  new         咖啡 for two  Bring a friend
        braze/d-3  banner          new
        3 cards, 3 new, braze as of 2026-10-01T09:00:00.000Z

        """)
    #expect(
      await stage.engage("cards", "dismiss", "c-2", by: braze).output
        == "dismiss braze/c-2: delivered\n")
    #expect(braze.events == ["ccd c-2"])
    #expect(await stage.engage("cards").output.contains("2 cards, 2 new"))
    let doctor = await stage.engage("doctor", by: braze)
    #expect(doctor.status == .done)
    #expect(doctor.output.contains("braze: 2 accepted = 2 delivered"))
    let events = await stage.engage("events", "--kind", "dismiss", "--json")
    #expect(events.lines.count == 1)
    #expect(
      events.lines.first?.contains(
        #""item":{"provider":"braze","id":"c-2","surface":"cards"}"#) == true)
  }

  @Test("JSON has one name for an item: the provider and the vendor's id")
  func names() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let name = #""provider":"braze","id":"c-2""#
    braze.goDown()
    let acted = await stage.engage("cards", "dismiss", "c-2", "--json", by: braze, in: .impatient)
    #expect(acted.output.contains(name) && acted.output.contains(#""outcome":"pending""#))
    #expect(await stage.engage("outbox", "--json").output.contains(#""item":{\#(name)"#))
    #expect(await stage.engage("events", "--json").output.contains(#""item":{\#(name)"#))
    let export = await stage.engage("person", "export").output
    #expect(export.contains(#""record":"card""#) && export.contains(#""kind":"captionedImage""#))
    #expect(export.contains(#""record":"event""#) && export.contains(#""kind":"dismiss""#))
  }

  @Test("a list that no provider serves says so")
  func unserved() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let inbox = await stage.engage("inbox", by: braze)
    #expect(inbox.output == "0 messages, 0 new\n")
    #expect(
      inbox.errors
        == "Nothing fills the inbox: \"engage routes\" shows its route, "
        + "\"engage providers\" what each vendor serves.\n")
  }

  @Test("X8: the configured token goes out for the configured user and for nobody else")
  func foreignToken() async throws {
    let (stage, watch) = (try CommandLineFixture(), SignatureWatch())
    try stage.write(
      """
      {"user": "u-1", "consent": "full", "providers": {"braze": {"vendor": "braze",
       "endpoint": "http://127.0.0.1:8400", "apiKey": "demo", "token": "signature-of-u-1"}}}
      """, to: "engage.json")
    _ = await stage.engage("sync", by: watch)
    #expect(watch.signed == [true] && watch.users == ["u-1"])
    let change = await stage.engage("signin", "u-2", by: watch)
    #expect(change.errors.contains("the one in engage.json is the configured user's"))
    _ = await stage.engage("sync", by: watch)
    _ = await stage.engage("track", "seen", by: watch, in: .impatient)
    #expect(watch.users == ["u-1"], "nothing goes out unsigned where requests are signed")
    let back = await stage.engage("signin", "u-1", by: watch)
    #expect(back.errors.hasSuffix("until u-2 is signed in again.\n"), "u-2 cannot be signed for")
  }

  @Test("a unique prefix finds a card, and any other id gives an error with the next step")
  func finding() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let shown = await stage.engage("cards", "show", "d-3", "--json")
    #expect(
      shown.lines.first?.contains(#""schema":1,"provider":"braze","vendor":"braze","id":"d-3""#)
        == true)
    let wrong = [
      ("c-", #""c-" is too short: type at least 4 characters of the id; see "engage cards list"."#),
      (
        "braze/",
        #""braze/" is too short: type at least 4 characters of the id; see "engage cards list"."#
      ),
      ("b", #""b" is too short: type at least 4 characters of the id; see "engage cards list"."#),
      ("braze/c-7", #"There is no card "braze/c-7"; did you mean "braze/c-1"?"#),
      ("braz/c-1", #"There is no card "braz/c-1": "braz" is no provider; did you mean "braze"?"#),
      ("nothing-like-it", #"There is no card "nothing-like-it"; see "engage cards list"."#),
    ]
    for (id, message) in wrong {
      let ending = await stage.engage("cards", "click", id, by: braze)
      #expect(ending.status == .failed)
      #expect(ending.errors.hasPrefix("engage: \(message)"), "\(ending.errors)")
    }
    #expect(braze.events.isEmpty)
  }

  @Test("a sync fails if a provider is down and reports the age of the cached cards")
  func down() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    braze.goDown()
    let ending = await stage.engage("sync", "--json", by: braze)
    #expect(ending.status == .failed)
    #expect(
      ending.lines == [
        #"{"schema":1,"provider":"braze","surface":"cards","outcome":"stale","items":3,"pending":0,"ageSeconds":0,"error":"unavailable","message":"The host was not reached.","underlying":"unplugged"}"#
      ])
    let doctor = await stage.engage("doctor", by: braze)
    #expect(doctor.status == .failed)
    #expect(doctor.output.contains("run \"engage emulate\""))
  }

  @Test("the next sync delivers an action from offline exactly once")
  func pending() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    braze.goDown()
    let ending = await stage.engage(
      "cards", "click", "c-1", by: braze, in: .impatient)
    #expect(ending.status == .done)
    #expect(ending.output == "click braze/c-1: pending; the next sync tries again\n")
    braze.comeBack()
    #expect(await stage.engage("sync", by: braze).status == .done)
    #expect(braze.events == ["ccc c-1"])
  }

  @Test("the signed-in user stays, and the configuration names only the first user")
  func users() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    #expect(
      await stage.engage("consent", "--json", by: braze).lines == [
        #"{"schema":1,"consent":"full","user":"u-1"}"#
      ])
    #expect(await stage.engage("signin", "u-2", by: braze).output == "u-2 is signed in.\n")
    #expect(
      await stage.engage("consent", "set", "essential", by: braze).output == "u-2: essential\n")
    #expect(await stage.engage("sync", by: braze).status == .done)
    #expect(await stage.engage("consent", by: braze).output == "u-2: essential\n")
    let leaving = await stage.engage("signout", "--json", by: braze)
    #expect(leaving.status == .done)
    #expect(
      leaving.lines == [
        #"{"schema":1,"provider":"braze","delivered":0,"rejected":0,"pending":0,"wiped":0,"mayStillPush":false}"#
      ])
    #expect(await stage.engage("signout", by: braze).errors == "No user was signed in.\n")
  }

  @Test("events, properties and person fields are delivered with their types")
  func tracking() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    let ending = await stage.engage(
      "track", "bought", "item=tea", "price=4.5", "count=2", "gift=true", "zip=\"04109\"",
      "--json", by: braze)
    #expect(
      ending.lines == [
        #"{"schema":1,"name":"bought","properties":{"item":"tea","price":4.5,"count":2,"gift":true,"zip":"04109"},"outcome":"delivered"}"#
      ])
    #expect(braze.events == ["ce bought"])
    let person = await stage.engage("person", "set", "city=Varna", "custom.tier=3", by: braze)
    #expect(person.output == "person set: delivered\n")
    let wrong = await stage.engage("person", "set", "nam=Ada", by: braze)
    #expect(wrong.status == .usage)
    #expect(wrong.errors.hasPrefix(#"engage: "nam" is no field of a person; did you mean "name"?"#))
  }

  @Test("G11: the cards command reads the cache without a write or a lock file")
  func showingCards() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    _ = await stage.engage("init")
    _ = await stage.engage("sync", by: braze, in: .impatient)
    let names = try stage.names()
    let cache = try Data(contentsOf: stage.folder.appending(path: "engagement.sqlite"))
    try FileManager.default.removeItem(at: stage.folder.appending(path: "engagement.sqlite.lock"))
    try FileManager.default.removeItem(at: stage.folder.appending(path: "engagement.sqlite.device"))
    #expect(await stage.engage("cards").output.contains("3 cards, 3 new"))
    #expect(
      try stage.names()
        == names.subtracting(
          ["engagement.sqlite.lock", "engagement.sqlite.device"]))
    #expect(try Data(contentsOf: stage.folder.appending(path: "engagement.sqlite")) == cache)
  }

  @Test("G9: a damaged cache is set aside, and the next sync fills a new one")
  func damagedCache() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    _ = await stage.engage("init")
    _ = await stage.engage("sync", by: braze, in: .impatient)
    let file = stage.folder.appending(path: "engagement.sqlite")
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
    try bytes.write(to: file)
    let cards = await stage.engage("cards")
    #expect(cards.status == .done && cards.output == "0 cards, 0 new\n")
    #expect(try stage.names().contains { $0.contains("corrupt-") })
    _ = await stage.engage("sync", by: braze, in: .impatient)
    #expect(await stage.engage("cards").output.contains("3 cards, 3 new"))
  }

  @Test("a closed pipe ends the command without an error message")
  func closedPipe() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let ending = await stage.engage("cards", in: .init(readWrites: 1))
    #expect(ending.status == .closedPipe)
    #expect(ending.errors.isEmpty)
  }

  @Test("Ctrl-C ends a sync and keeps the cards, and the next sync works")
  func interrupted() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let stuck = StuckTransport()
    let ending = await stage.engage(
      "sync", by: stuck, in: .init(interruption: { await stuck.wasAsked() }))
    #expect(ending.status == .interrupted)
    #expect(ending.output.isEmpty)
    #expect(await stage.engage("cards").output.contains("3 cards"))
    #expect(await stage.engage("sync", by: braze).status == .done)
  }

  @Test("an installation keeps its id in its own file")
  func device() async throws {
    let stage = try CommandLineFixture()
    let file = DeviceFile(besideCacheAt: stage.folder.path + "/deep/cache.sqlite")
    let id = try file.id(random: { 7 })
    #expect(try file.id(random: { 8 }) == id)
  }

  @Test("G8: a damaged installation id is set aside and replaced, whatever stands in its place")
  func damagedDevice() throws {
    let stage = try CommandLineFixture()
    let file = DeviceFile(besideCacheAt: stage.folder.path + "/cache")
    let id = try file.id(random: { 7 })
    let sound = try String(contentsOfFile: file.path, encoding: .utf8)
    var flipped = Array(sound.utf8)
    flipped[3] ^= 1
    let damages: [() throws -> Void] = [
      { try stage.write("", to: "cache.device") },
      { try stage.write("garbage", to: "cache.device") },
      { try stage.write(String(decoding: flipped, as: UTF8.self), to: "cache.device") },
      { try stage.write(String(sound.prefix(20)), to: "cache.device") },
      { try stage.write(sound + sound, to: "cache.device") },
      {
        try FileManager.default.removeItem(atPath: file.path)
        #expect(mkfifo(file.path, 0o600) == 0)
      },
      {
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.createDirectory(
          atPath: file.path, withIntermediateDirectories: false)
      },
      {
        try FileManager.default.removeItem(atPath: file.path)
        #expect(symlink("nowhere", file.path) == 0)
      },
    ]
    var random: UInt64 = 100 << 32
    for damage in damages {
      try damage()
      var told: [String] = []
      let next = try file.id(
        random: {
          random += 1 << 32
          return random
        }, note: { told.append($0) })
      #expect(next != id && told.count == 1)
      #expect(try file.id(random: { 9 }, note: { _ in Issue.record("it is sound") }) == next)
    }
    // An earlier version wrote no checksum.
    try stage.write("\(id)\n", to: "old.device")
    #expect(try DeviceFile(besideCacheAt: stage.folder.path + "/old").id(random: { 9 }) == id)
  }

  @Test("G9: after a damaged cache no user is signed in, nothing is allowed, and that is told")
  func nobodyAfterDamage() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    #expect(await stage.engage("signin", "bob", by: braze).status == .done)
    #expect(await stage.engage("consent", "set", "denied", by: braze).status == .done)
    let cache = stage.folder.appending(path: "engagement.sqlite")
    let file = try FileHandle(forUpdating: cache)
    try file.write(contentsOf: Data(repeating: 0x58, count: 64))
    try file.close()
    let first = await stage.engage("consent")
    #expect(first.errors.contains("The cache was damaged and is set aside as"))
    #expect(["anonymous: unknown\n", "bob: denied\n"].contains(first.output))
    let track = await stage.engage("track", "hello", by: braze)
    #expect(track.status == .failed && track.errors.contains("[consentDenied]"))
    #expect(!braze.events.contains { $0.hasPrefix("ce") })
    #expect(await stage.engage("doctor", by: braze).output.contains("set aside"))
  }

  @Test("G16 G17: a very long argument is answered at once, and an error does not repeat all of it")
  func longArgument() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let long = String(repeating: "x", count: 300_000)
    for line in [["cards", "show", long], [long], ["cards", "--container", long]] {
      let ending = await stage.run(line)
      #expect(ending.status != .done && ending.errors.utf8.count < 3_000, "\(line[0].prefix(9))")
    }
    try stage.write(
      #"{"providers": {"b": {"vendor": "braze", "apiKey": {"env": "7c1a-key"}}}}"#,
      to: "engage.json")
    let leak = await stage.engage("sync", by: braze)
    #expect(leak.status == .failed && !leak.errors.contains("7c1a"))
  }

  @Test("an unknown container or kind is told, and the bare tool prints its help")
  func unknownNames() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let container = await stage.engage("cards", "--container", "hom")
    #expect(container.status == .usage && container.output.isEmpty)
    #expect(container.errors.hasPrefix(#"engage: engage.json has no container "hom""#))
    let kind = await stage.engage("events", "--kind", "vote")
    #expect(kind.errors.hasPrefix("No event of this kind is recorded; there are: "))
    let folder = try stage.names()
    for (command, name, nearest) in [
      ("events", "clik", "click"), ("events", "card.click", "click"),
      ("export", "engage.message.dismiss", "dismiss"), ("export", "clicks", "click"),
      ("export", "campaign.click", "click"),
    ] {
      let unknown = await stage.engage(command, "--kind", name)
      #expect(unknown.status == .usage && unknown.output.isEmpty, "\(unknown)")
      let text = "--kind does not take \"\(name)\"; did you mean \"\(nearest)\"?"
      #expect(unknown.errors.contains(text), "\(unknown.errors)")
    }
    #expect(try stage.names() == folder)
    let help = await stage.engage()
    #expect(help.status == .done && help.output.hasPrefix("engage: several customer-engagement"))
  }
}

/// Notes whose requests come, and whether they are signed.
private final class SignatureWatch: HTTPTransport {
  private let braze = PlayedBraze()
  private let seen = Locked((signed: Set<Bool>(), users: Set<String?>()))

  var signed: Set<Bool> { seen.withLock { $0.signed } }
  var users: Set<String?> { seen.withLock { $0.users } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let body = try? JSON(parsing: request.body ?? [])
    seen.withLock { seen in
      seen.signed.insert(request.headers.contains("X-Braze-Auth-Signature"))
      seen.users.insert(body?["user_id"]?.string)
    }
    return try await braze.send(request)
  }
}
