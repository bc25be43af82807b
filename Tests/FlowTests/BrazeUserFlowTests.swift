import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// What a change of user does, and what happens when every signature is refused.
@Suite("Braze: change of user", .timeLimit(.minutes(20))) struct BrazeUserFlowTests {
  private static func users(_ body: JSON) -> [JSON?] {
    [body["user_id"], body["events"]?.array?.first?["user_id"], body["respond_with"]?["user_id"]]
  }

  // MARK: The first user

  private func flowAdoption(_ variant: KitVariant) async throws {
    let both = Braze.sync(full: true, [Braze.card("a"), Braze.card("b")])
    let scene = try await AppScene.braze(
      behind: variant, user: .anonymous, syncs: [both],
      data: [.json(200, #"{"message":"success"}"#)])
    _ = await scene.sync()
    let receipt = try await scene.perform(.dismiss, on: "a")
    scene.transport.forget()
    try await scene.signIn("u-1")
    #expect(try await receipt.outcome(within: .zero) == .delivered)
    #expect(Self.users(scene.body(0)) == ["u-1", "u-1", "u-1"])
    #expect(scene.body(0)["events"]?.array?.map { $0["name"] } == ["ss", "ccd"])
    #expect(scene.transport.requests.count == 1)
    #expect(await scene.sync() == .done, "the settings are known and not asked for again")
    #expect(scene.body(1)["last_full_sync_at"] == 0)
    #expect(scene.cards() == ["b"], "what was dismissed before the sign-in stays hidden")
    try await scene.end()
  }

  @Test("B6: actions from before the first sign-in are sent as the first user's")
  func adoption() async throws { try await flowAdoption(.complete) }

  @Test("the first sign-in flow fails when pending rows are not adopted")
  func adoptionNeeds() async {
    let variant = KitVariant.without { $0.transition = { $0.filter { $0 != .adoptPending } } }
    await withKnownIssue { try await flowAdoption(variant) }
  }

  // MARK: Another user

  private func flowSwitch(_ variant: KitVariant) async throws {
    let transport = ScriptedTransport { request in
      if request.line == Braze.dataLine { return .json(200, Braze.config(100)) }
      let user = (try? JSON(parsing: request.body ?? []))?["user_id"]?.string ?? ""
      return .json(200, Braze.sync(full: true, [Braze.card("card of \(user)")]))
    }
    let scene = try await AppScene.braze(behind: variant, signs: true, transport) { _ in
      Secret("signature of u-1")
    }
    _ = await scene.execute(.settings)
    _ = await scene.sync()
    try await scene.engagement.track("last words")
    scene.transport.forget()

    try await scene.signIn("u-2") { _ in Secret("signature of u-2") }
    #expect(scene.transport.lines == [Braze.dataLine])
    #expect(Self.users(scene.body(0)) == ["u-1", "u-1", "u-1"])
    #expect(scene.signatures == [Secret("signature of u-1")])
    #expect(scene.cards().isEmpty)
    #expect(try await scene.pending == 0)

    scene.transport.forget()
    #expect(await scene.sync() == .done)
    #expect(scene.signatures == [Secret("signature of u-2")])
    #expect(scene.body(0)["last_full_sync_at"] == 0 && scene.body(0)["last_card_updated_at"] == 0)
    #expect(scene.cards() == ["card of u-2"])
    #expect(scene.transport.requests.allSatisfy { !$0.text.contains("u-1") })

    try await scene.signIn("u-1") { _ in Secret("signature of u-1") }
    #expect(scene.cards() == ["card of u-1"], "a user who comes back finds the cache")
    scene.transport.forget()
    _ = await scene.sync()
    #expect(scene.body(0)["last_full_sync_at"] == 1_000)
    try await scene.end()
  }

  @Test("B6: another user gets none of the previous user's cards, watermarks or rows")
  func switching() async throws { try await flowSwitch(.complete) }

  @Test(
    "the change of user flow fails when one of these features is missing",
    arguments: [
      BrazeVariant(
        "rows that are sent before the change",
        .without { $0.transition = { $0.filter { $0 != .sendPending } } }),
      BrazeVariant.changes("values of the user") { change in
        if case .keep(.user, let key, let value) = change {
          .keep(.installation, key, value)
        } else {
          change
        }
      },
    ])
  func switchingNeeds(variant: BrazeVariant) async {
    await withKnownIssue { try await flowSwitch(variant.variant) }
  }

  // MARK: An answer that comes late

  @Test("B6: a late answer is committed for the user who asked")
  func late() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { request in
      if request.line == Braze.dataLine { return .json(200, Braze.config(100)) }
      await gate.pass()
      return .json(200, Braze.sync(full: true, [Braze.card("a")]))
    }
    let scene = try await AppScene.braze(transport)
    _ = await scene.execute(.settings)
    async let late = scene.sync()
    await gate.isHolding(1)
    try await scene.signIn("u-2")
    gate.open()
    #expect(await late == .done)
    #expect(scene.cards().isEmpty)
    #expect(try await scene.userValue("cards.fullSyncAt") == nil)
    try await scene.signIn("u-1")
    #expect(scene.cards() == ["a"])
    try await scene.end()
  }

  @Test("B6: after a sign-out the kit sends nothing to Braze and keeps the anonymous event pending")
  func signOut() async throws {
    let scene = try await AppScene.braze(
      syncs: [Braze.sync(full: true, [Braze.card("a")])])
    _ = await scene.sync()
    _ = try await scene.engagement.signOut()
    try await scene.engagement.setConsent(.full)
    scene.transport.forget()
    let operations: [EngagementAdapterAPI.Operation] = [
      .settings, .cards(in: nil, matching: []), .registerPush(.production),
    ]
    for operation in operations {
      guard case .refused(let error) = await scene.execute(operation) else {
        Issue.record("Braze has no user for \(operation.verb).")
        return
      }
      #expect(error.code == .signedOut)
    }
    #expect(scene.cards().isEmpty)

    try await scene.engagement.track("after")
    await scene.deliver()
    #expect(try await scene.pending == 2, "the event and the start of its session")
    try await scene.signIn("u-2")
    #expect(scene.transport.requests.isEmpty)
    #expect(try await scene.pending == 0, "it is not the next user's")
    try await scene.end()
  }

  @Test("B6: an event between two sessions of one user is sent as that user's")
  func sameUserAgain() async throws {
    let scene = try await AppScene.braze(syncs: [])
    _ = try await scene.engagement.signOut()
    try await scene.engagement.setConsent(.full)
    let receipt = try await scene.engagement.track("between")
    try await scene.signIn("u-1")
    #expect(Self.users(scene.body(0)) == ["u-1", "u-1", "u-1"])
    #expect(try await receipt.outcome(within: .zero) == .delivered)
    try await scene.end()
  }

  @Test("B6: a disabled feed is empty for a user who signs in again")
  func switchedOff() async throws {
    let scene = try await AppScene.braze(
      syncs: [Braze.sync(full: true, [Braze.card("a")])],
      data: [.json(200, Braze.config(200, enabled: false))])
    _ = await scene.sync()
    try await scene.signIn("u-2")
    _ = await scene.execute(.settings)
    try await scene.signIn("u-1")
    #expect(scene.cards().isEmpty)
    #expect(try await scene.userValue("cards.fullSyncAt") == nil)
    try await scene.end()
  }

  // MARK: Fifty refusals

  private func flowFiftyRefusals(_ variant: KitVariant) async throws {
    let asked = Locked(0)
    let transport = ScriptedTransport { request in
      let isGood = request.headers.secret("X-Braze-Auth-Signature") == Secret("good")
      return .json(200, isGood ? Braze.config(100) : #"{"auth_error":{"error_code":27}}"#)
    }
    let scene = try await AppScene.braze(behind: variant, signs: true, transport) { _ in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      return Secret("bad \(count)")
    }
    let receipt = try await scene.engagement.track("kept")
    for _ in 0..<40 { await scene.deliver(after: .seconds(300)) }
    #expect(scene.transport.requests.count == 50)
    let askedBefore = asked.withLock { $0 }
    #expect(askedBefore == 25, "once for the first signature, then once for two refusals")
    #expect(try await scene.pending == 2, "nothing is lost, nor the start of the session")

    try await scene.engagement.signIn("u-1") { _ in Secret("also bad") }
    await scene.deliver(after: .seconds(60))
    #expect(scene.transport.requests.count == 51, "a new signature is tried once")
    #expect(try await scene.pending == 2)

    try await scene.engagement.signIn("u-1") { _ in Secret("good") }
    await scene.deliver(after: .seconds(60))
    #expect(try await receipt.outcome(within: .zero) == .delivered)
    #expect(asked.withLock { $0 } == askedBefore, "the first source is not asked any more")
    #expect(try await scene.userValue("auth.refusals") == nil)
    try await scene.end()
  }

  @Test("B7: after fifty refusals in a row nothing is sent until a new signature arrives")
  func fiftyRefusals() async throws { try await flowFiftyRefusals(.complete) }

  @Test(
    "the fifty refusals flow fails when one of these features is missing",
    arguments: [
      BrazeVariant.changes("refusals that may bring changes") { change in
        if case .keep(.user, "auth.refusals", _) = change { nil } else { change }
      },
      BrazeVariant.steps("a step that waits") { if case .wait = $0 { .done([]) } else { $0 } },
    ])
  func fiftyRefusalsNeed(variant: BrazeVariant) async {
    await withKnownIssue { try await flowFiftyRefusals(variant.variant) }
  }
}
