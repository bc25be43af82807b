import EngageCommands
import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementModel
import Foundation
import Testing

/// What commands advise where Atomic's part of `engage.json` lacks something or is refused.
@Suite(.timeLimit(.minutes(20))) struct AtomicAdviceTests {
  // MARK: Containers

  private static let containers =
    #"Add "containers": {"home": {"atomic": "ID"}}, where ID is the vendor's own id of the container."#

  @Test("A8: without containers, sync, cards and doctor name the missing key and show one")
  func noContainers() async throws {
    let scene = try await AtomicScene()
    try AtomicScene.configure(
      scene.stage, endpoint: scene.emulator.endpoint(of: "atomic"), hasContainers: false)
    let synced = await scene.stage.engage("sync", by: CurlTransport())
    let json = await scene.stage.engage("sync", "--json", by: CurlTransport())
    let cards = await scene.stage.engage("cards")
    let doctor = await scene.stage.engage("doctor", by: CurlTransport())
    await scene.emulator.stop()
    let told = "atomic: no cards are fetched, because engage.json has no \"containers\". "
    #expect(synced.status == .failed)
    #expect(synced.errors.contains(told + Self.containers), "\(synced.errors)")
    #expect(json.output.contains(#""outcome":"unsupported","#))
    #expect(json.output.contains(#""message":"atomic: no cards are fetched"#), "\(json.output)")
    #expect(cards.errors.contains(told + Self.containers), "\(cards.errors)")
    #expect(!cards.errors.contains("run \"engage sync\""))
    #expect(doctor.status == .failed)
    #expect(doctor.output.contains("containers: \(Self.containers)"), "\(doctor.output)")
  }

  @Test("A8: with a route that leaves Atomic's cards out, no container is asked for")
  func noRoute() async throws {
    let scene = try await AtomicScene()
    let endpoint = scene.emulator.endpoint(of: "atomic")
    try scene.stage.write(
      """
      {"user": "u-1", "consent": "full", "routes": {"cards": "none"}, "providers": {"atomic": {
       "vendor": "atomic", "endpoint": "\(endpoint)", "environmentID": "demo", "apiKey": "demo",
       "token": "\(AtomicScene.token())"}}}
      """, to: "engage.json")
    let synced = await scene.engage("sync")
    let doctor = await scene.engage("doctor")
    await scene.emulator.stop()
    #expect(!synced.errors.contains("containers"), "\(synced.errors)")
    #expect(!doctor.output.contains("containers"), "\(doctor.output)")
  }

  @Test("A1: a sync names a container that the vendor does not have, beside one that came")
  func wrongContainer() async throws {
    let scene = try await AtomicScene()
    try await scene.emulator.configure("atomic", ["containers": ["BqWL1sT"]])
    let endpoint = scene.emulator.endpoint(of: "atomic")
    func configure(_ containers: String) throws {
      try scene.stage.write(
        """
        {"user": "u-1", "consent": "full", "containers": \(containers), "providers": {"atomic": {
         "vendor": "atomic", "endpoint": "\(endpoint)", "environmentID": "demo", "apiKey": "demo",
         "token": "\(AtomicScene.token())"}}}
        """, to: "engage.json")
    }
    try configure(#"{"home": {"atomic": "BqWL1sT"}, "promo": {"atomic": "nope"}}"#)
    let synced = await scene.stage.engage("sync", by: CurlTransport())
    #expect(synced.status == .failed)
    #expect(synced.output.contains("not everything came"), "\(synced.output)")
    #expect(
      synced.errors.contains("Atomic has no feed of the container \"nope\"."), "\(synced.errors)")
    #expect(synced.errors.contains("of providers.atomic in engage.json, and its containers."))
    try configure(#"{"home": {"atomic": {"extra": "slot", "is": "home"}}}"#)
    let refused = await scene.stage.engage("cards")
    #expect(refused.errors.contains("containers.home.atomic picks cards by an extra"))
    await scene.emulator.stop()
  }

  // MARK: doctor

  @Test("A1 A4: doctor asks the vendor how many cards the user has", arguments: [false, true])
  func doctorAsks(isSynced: Bool) async throws {
    let scene = try await AtomicScene()
    if isSynced { await scene.engage("sync") }
    let doctor = await scene.engage("doctor")
    let paths = await scene.emulator.requests().map(\.path)
    await scene.emulator.stop()
    #expect(
      doctor.output.contains("answers as atomic does, and takes what providers.atomic says"),
      "\(doctor.output)")
    #expect(paths.last?.hasSuffix("/user-metrics") == true, "\(paths)")
    #expect(try scene.stage.names().contains("engagement.sqlite") == isSynced)
  }

  @Test(
    "A1 A2: doctor is not content with a vendor that refuses the token", arguments: [false, true])
  func doctorRefused(isSynced: Bool) async throws {
    let scene = try await AtomicScene()
    // The vendor has to know the token before it can refuse it.
    await scene.engage("sync")
    if !isSynced {
      for name in try scene.stage.names() where name != "engage.json" {
        try FileManager.default.removeItem(at: scene.stage.folder.appending(path: name))
      }
    }
    try await scene.emulator.expireCredentials(of: "atomic")
    let doctor = await scene.stage.engage("doctor", by: CurlTransport())
    await scene.emulator.stop()
    #expect(doctor.status == .failed)
    #expect(
      doctor.output.contains(
        "atomic refuses the call, most likely for the token of providers.atomic.token."),
      "\(doctor.output)")
    #expect(
      doctor.output.contains("provider atomic: Put a new one there, and run the command again."),
      "\(doctor.output)")
    #expect(!doctor.output.contains("answers as atomic does"))
  }

  @Test("A2: doctor says that a signed-in user is needed")
  func doctorSignedOut() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    await scene.engage("signout")
    let doctor = await scene.engage("doctor")
    await scene.emulator.stop()
    #expect(doctor.output.contains("atomic answers signed-in users alone"), "\(doctor.output)")
    #expect(doctor.output.contains("provider atomic: run \"engage signin USER\"."))
  }

  // MARK: Tokens

  /// A file with a token, and what commands say of it.
  struct Token: Sendable {
    var text: String
    var user = "u-1"
    var told: String
  }

  private static let tokens = [
    Token(
      text: AtomicScene.token(endingAt: 1_790_845_199),
      told:
        "providers.atomic.token ended at 2026-10-01T08:59:59.000Z. Write a new one into token.jwt;"
        + " it is read again."),
    Token(
      text: AtomicScene.token("u-2"),
      told: "providers.atomic.token is not the token of u-1. Write a new one into token.jwt; it is"
        + " read again."),
    Token(
      text: AtomicScene.token(), user: "u-3",
      told:
        "providers.atomic.token is a token of u-1, and u-3 is signed in. Put a token of u-3 there"
        + " and make u-3 the \"user\" of engage.json, or run \"engage signin u-1\"."),
  ]

  @Test(
    "A1 A2 G15: a token that no vendor would take is named with its key and the next step",
    arguments: tokens)
  func uselessToken(token: Token) async throws {
    let scene = try await AtomicScene()
    try scene.stage.write(token.text + "\n", to: "token.jwt")
    try AtomicScene.configure(
      scene.stage, endpoint: scene.emulator.endpoint(of: "atomic"), token: ["file": "token.jwt"])
    if token.user != "u-1" { await scene.engage("signin", token.user) }
    let synced = await scene.stage.engage("sync", by: CurlTransport())
    let json = await scene.stage.engage("sync", "--json", by: CurlTransport())
    let tracked = await scene.stage.engage(
      "track", "tea", by: CurlTransport(), in: .impatient)
    let doctor = await scene.stage.engage("doctor", by: CurlTransport())
    let count = await scene.emulator.requests().count { $0.path.hasPrefix("/demo/") }
    await scene.emulator.stop()
    #expect(count == 0, "such a token is not sent")
    #expect(synced.status == .failed)
    #expect(synced.errors.contains("\(token.told) [unauthenticated]"), "\(synced.errors)")
    #expect(!synced.errors.contains("application") && !synced.errors.contains("Check the endpoint"))
    let escaped = token.told.replacing("\"", with: "\\\"")
    #expect(json.output.contains(#""message":"\#(escaped)""#), "\(json.output)")
    #expect(tracked.output.contains(token.told), "\(tracked.output)")
    #expect(doctor.status == .failed)
    #expect(!doctor.output.contains("application"), "\(doctor.output)")
  }

  @Test("A1 G15: a token in a variable that is refused is named with its variable")
  func variable() async throws {
    let scene = try await AtomicScene()
    try AtomicScene.configure(
      scene.stage, endpoint: scene.emulator.endpoint(of: "atomic"), token: ["env": "ATOMIC_JWT"])
    let setting = CommandLineFixture.Setting(environment: ["ATOMIC_JWT": AtomicScene.token()])
    #expect(await scene.stage.engage("sync", by: CurlTransport(), in: setting).status == .done)
    try await scene.emulator.expireCredentials(of: "atomic")
    let synced = await scene.stage.engage("sync", by: CurlTransport(), in: setting)
    await scene.emulator.stop()
    #expect(
      synced.errors.contains(
        "atomic refuses the call, most likely for the token of providers.atomic.token. Put a new one "
          + "into the variable ATOMIC_JWT, and run the command again. Or the key or the ids of providers.atomic are "
          + "wrong."), "\(synced.errors)")
  }
}
