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
@Suite struct BrazeUserFlowTests {
  private static func custom(_ name: String) -> EngagementEvent {
    EngagementEvent(id: EventID(name), kind: .custom, time: TestClock().now, name: name)
  }

  private static func users(_ body: JSON) -> [JSON?] {
    [body["user_id"], body["events"]?.array?.first?["user_id"], body["respond_with"]?["user_id"]]
  }

  // MARK: The first user

  private func flowAdoption(_ variant: KitVariant) async throws {
    let both = BrazeScene.sync(full: true, [BrazeScene.card("a"), BrazeScene.card("b")])
    let scene = try await BrazeScene.enabled(
      variant, user: .anonymous, syncs: [both], data: [.json(200, #"{"message":"success"}"#)])
    _ = await scene.sync()
    try scene.memory.act(.dismiss, on: ItemReference(try #require(scene.card("a"))))
    scene.transport.forget()
    await scene.memory.signIn("u-1", scene.runners.runner)
    #expect(scene.memory.outbox.map(\.state) == [.delivered])
    #expect(Self.users(scene.body(0)) == ["u-1", "u-1", "u-1"])
    #expect(scene.body(0)["events"]?.array?.first?["name"] == "ccd")
    #expect(scene.transport.requests.count == 1)
    #expect(await scene.sync() == .done, "the settings are known and not asked for again")
    #expect(scene.body(1)["last_full_sync_at"] == 0)
    #expect(scene.visible == ["b"], "what was dismissed before the sign-in stays hidden")
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
      if request.line == BrazeScene.dataLine { return .json(200, BrazeScene.config(100)) }
      let user = (try? JSON(parsing: request.body ?? []))?["user_id"]?.string ?? ""
      return .json(200, BrazeScene.sync(full: true, [BrazeScene.card("card of \(user)")]))
    }
    let scene = try BrazeScene(variant, signs: true, transport) { user in
      Secret("signature of \(user.id?.rawValue ?? "nobody")")
    }
    _ = await scene.runners.perform(.settings)
    _ = await scene.sync()
    scene.memory.accept(Self.custom("last words"))
    scene.transport.forget()

    await scene.memory.signIn("u-2", scene.runners.runner)
    #expect(scene.transport.lines == [BrazeScene.dataLine])
    #expect(Self.users(scene.body(0)) == ["u-1", "u-1", "u-1"])
    #expect(scene.signatures == [Secret("signature of u-1")])
    #expect(scene.visible.isEmpty && scene.memory.outbox.isEmpty)

    scene.transport.forget()
    #expect(await scene.sync() == .done)
    #expect(scene.signatures == [Secret("signature of u-2")])
    #expect(scene.body(0)["last_full_sync_at"] == 0 && scene.body(0)["last_card_updated_at"] == 0)
    #expect(scene.visible == ["card of u-2"])
    #expect(scene.transport.requests.allSatisfy { !$0.text.contains("u-1") })

    await scene.memory.signIn("u-1", scene.runners.runner)
    #expect(scene.visible == ["card of u-1"], "a user who comes back finds the cache")
    scene.transport.forget()
    _ = await scene.sync()
    #expect(scene.body(0)["last_full_sync_at"] == 1_000)
  }

  @Test("B6: another user gets none of the previous user's cards, watermarks or rows")
  func switching() async throws { try await flowSwitch(.complete) }

  @Test(
    "the change of user flow fails when one of these features is missing",
    arguments: [
      BrazeDoor(
        "rows that are sent before the change",
        .without { $0.transition = { $0.filter { $0 != .sendPending } } }),
      BrazeDoor.changes("values of the user") { change in
        if case .keep(.user, let key, let value) = change {
          .keep(.installation, key, value)
        } else {
          change
        }
      },
    ])
  func switchingNeeds(variant: BrazeDoor) async {
    await withKnownIssue { try await flowSwitch(variant.variant) }
  }

  // MARK: An answer that comes late

  private func flowLate(_ variant: KitVariant) async throws {
    let gate = Gate()
    let transport = ScriptedTransport { request in
      if request.line == BrazeScene.dataLine { return .json(200, BrazeScene.config(100)) }
      await gate.pass()
      return .json(200, BrazeScene.sync(full: true, [BrazeScene.card("a")]))
    }
    let scene = try BrazeScene(variant, transport)
    _ = await scene.runners.perform(.settings)
    async let late = scene.sync()
    await gate.isHolding(1)
    await scene.memory.signIn("u-2", scene.runners.runner)
    gate.open()
    #expect(await late == .done)
    #expect(scene.visible.isEmpty)
    #expect(scene.memory.value(.user, "cards.fullSyncAt") == nil)
    await scene.memory.signIn("u-1", scene.runners.runner)
    #expect(scene.visible == ["a"])
  }

  @Test("B6: a late answer is committed for the user who asked")
  func late() async throws { try await flowLate(.complete) }

  @Test("the late answer flow fails when commits do not carry their user")
  func lateNeeds() async {
    let variant = KitVariant(host: { memory in
      BrazeChangedHost(memory: memory, owner: { _ in memory.attempt() })
    })
    await withKnownIssue { try await flowLate(variant) }
  }

  @Test("B6: after a sign-out the kit sends nothing to Braze and keeps the anonymous event pending")
  func signOut() async throws {
    let scene = try await BrazeScene.enabled(
      syncs: [BrazeScene.sync(full: true, [BrazeScene.card("a")])])
    _ = await scene.sync()
    await scene.memory.signIn(.anonymous, scene.runners.runner)
    scene.transport.forget()
    #expect(await scene.sync() == .done)
    #expect(await scene.runners.perform(.settings) == .done)
    guard case .refused(let error) = await scene.runners.perform(.registerPush(.production)) else {
      Issue.record("the vendor has nobody to register a token for")
      return
    }
    #expect(error.code == .signedOut)
    #expect(scene.visible.isEmpty)

    scene.memory.accept(Self.custom("after"))
    #expect(
      await scene.runners.drain() == [.wait(until: scene.clock.now.addingTimeInterval(3_600))])
    await scene.memory.signIn("u-2", scene.runners.runner)
    #expect(scene.transport.requests.isEmpty)
    #expect(scene.memory.outbox.isEmpty, "it is not the next user's")
  }

  @Test("B6: an event between two sessions of one user is sent as that user's")
  func sameUserAgain() async throws {
    let scene = try await BrazeScene.enabled(syncs: [])
    await scene.memory.signIn(.anonymous, scene.runners.runner)
    scene.memory.accept(Self.custom("between"))
    await scene.memory.signIn("u-1", scene.runners.runner)
    #expect(Self.users(scene.body(0)) == ["u-1", "u-1", "u-1"])
    #expect(scene.memory.outbox.map(\.state) == [.delivered])
  }

  @Test("B6: a disabled feed is empty for a user who signs in again")
  func switchedOff() async throws {
    let scene = try await BrazeScene.enabled(
      syncs: [BrazeScene.sync(full: true, [BrazeScene.card("a")])],
      data: [.json(200, BrazeScene.config(200, enabled: false))])
    _ = await scene.sync()
    await scene.memory.signIn("u-2", scene.runners.runner)
    _ = await scene.runners.perform(.settings)
    await scene.memory.signIn("u-1", scene.runners.runner)
    #expect(scene.visible.isEmpty)
    #expect(scene.memory.value(.user, "cards.fullSyncAt") == nil)
  }

  // MARK: Fifty refusals

  private func flowFiftyRefusals(_ variant: KitVariant) async throws {
    let asked = Locked(0)
    let transport = ScriptedTransport { request in
      let isGood = request.headers.secret("X-Braze-Auth-Signature") == Secret("good")
      return .json(200, isGood ? BrazeScene.config(100) : #"{"auth_error":{"error_code":27}}"#)
    }
    let scene = try BrazeScene(variant, signs: true, transport) { _ in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      return Secret("bad \(count)")
    }
    scene.memory.accept(Self.custom("kept"))
    var outcomes: [OperationRunner.Outcome] = []
    for _ in 0..<30 { outcomes += await scene.runners.drain() }
    #expect(scene.transport.requests.count == 50)
    let askedBefore = asked.withLock { $0 }
    #expect(askedBefore == 25, "once for the first signature, then once for two refusals")
    #expect(outcomes.last == .wait(until: scene.clock.now.addingTimeInterval(3_600)))
    #expect(scene.memory.pending.count == 1, "nothing is lost")

    scene.memory.setCredential(Secret("also bad"))
    guard case .refused(let error)? = await scene.runners.drain().first else {
      Issue.record("a new signature is tried once")
      return
    }
    #expect(error.code == .unauthenticated && error.underlying == "27 NO_MATCHING_PUBLIC_KEYS")
    #expect(scene.transport.requests.count == 51)
    #expect(asked.withLock { $0 } == askedBefore, "nobody is asked any more")

    scene.memory.setCredential(Secret("good"))
    #expect(await scene.runners.drain() == [.done])
    #expect(scene.memory.pending.isEmpty)
    #expect(scene.memory.value(.user, "auth.refusals") == nil)
  }

  @Test("B7: after fifty refusals in a row nothing is sent until a new signature arrives")
  func fiftyRefusals() async throws { try await flowFiftyRefusals(.complete) }

  @Test(
    "the fifty refusals flow fails when one of these features is missing",
    arguments: [
      BrazeDoor.changes("refusals that may bring changes") { change in
        if case .keep(.user, "auth.refusals", _) = change { nil } else { change }
      },
      BrazeDoor.steps("a step that waits") { if case .wait = $0 { .done([]) } else { $0 } },
    ])
  func fiftyRefusalsNeed(variant: BrazeDoor) async {
    await withKnownIssue { try await flowFiftyRefusals(variant.variant) }
  }
}
