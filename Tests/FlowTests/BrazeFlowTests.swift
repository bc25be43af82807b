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

/// Flow 5: what has to come before the first card, and how often one may ask.
@Suite struct BrazeFlowTests {
  // MARK: Settings

  private func flowSettings(_ variant: KitVariant) async throws {
    let answers = [
      BrazeScene.config(100), BrazeScene.config(90, enabled: false),
      BrazeScene.config(110, enabled: false),
    ]
    let scene = try BrazeScene(
      variant,
      ScriptedTransport([
        BrazeScene.dataLine: answers.map { .json(200, $0) },
        BrazeScene.syncLine: [.json(200, BrazeScene.sync(full: true, [BrazeScene.card("a")]))],
      ]))
    #expect(await scene.sync() == .done)
    #expect(scene.transport.lines.isEmpty)

    #expect(await scene.runners.perform(.settings) == .done)
    let enabled = VendorSettings(cardsEnabled: true, sessionTimeout: .seconds(1800))
    #expect(scene.memory.settings == enabled)
    #expect(await scene.sync() == .done)
    #expect(scene.transport.lines == [BrazeScene.dataLine, BrazeScene.syncLine])
    #expect(scene.visible == ["a"])

    #expect(await scene.runners.perform(.settings) == .done)
    #expect(scene.memory.settings == enabled, "older settings do not count")
    #expect(await scene.runners.perform(.settings) == .done)
    #expect(scene.memory.settings.cardsEnabled == false)
    #expect(scene.visible.isEmpty)
    let asked = scene.transport.requests.indices.map {
      scene.body($0)["respond_with"]?["config"]?["config_time"]?.integer
    }
    #expect(asked == [0, nil, 100, 100])

    scene.transport.forget()
    #expect(await scene.sync() == .done)
    #expect(scene.transport.lines.isEmpty)
  }

  @Test(
    "flow 5 B6: cards stay disabled until settings arrive, and settings that disable cards empty the feed"
  )
  func settings() async throws { try await flowSettings(.complete) }

  @Test(
    "flow 5: the settings flow fails when one of these features is missing",
    arguments: [
      BrazeDoor.steps("a step that is done without a request") { step in
        if case .done = step { .wait(until: .distantFuture) } else { step }
      },
      BrazeDoor.changes("values of the installation") { change in
        if case .keep(.installation, _, _) = change { nil } else { change }
      },
      BrazeDoor.changes("settings as a change") { change in
        if case .settings = change { nil } else { change }
      },
      BrazeDoor.mode("a list that replaces") { mode in
        if case .replace = mode { .put } else { mode }
      },
    ])
  func settingsNeed(variant: BrazeDoor) async {
    await withKnownIssue { try await flowSettings(variant.variant) }
  }

  // MARK: The bucket

  private func flowBucket(_ variant: KitVariant) async throws {
    let limit = #","rate_limit":{"enabled":true,"capacity":2,"refill_rate":90}"#
    let scene = try BrazeScene(
      variant,
      ScriptedTransport([
        BrazeScene.dataLine: [.json(200, BrazeScene.config(100, limit: limit))],
        BrazeScene.syncLine: [.json(200, BrazeScene.sync(full: false, []))],
      ]))
    _ = await scene.runners.perform(.settings)
    scene.transport.forget()
    func refresh() async -> OperationRunner.Outcome {
      await scene.runners.perform(BrazeScene.cards, isUserRequested: true)
    }

    #expect(await refresh() == .done)
    scene.clock.advance(by: .seconds(30))
    #expect(await refresh() == .done)
    let next = scene.clock.now.addingTimeInterval(60)
    #expect(await refresh() == .wait(until: next))
    #expect(scene.transport.lines.count == 2, "nothing is sent while the bucket is empty")
    #expect(await scene.sync() == .done, "only what the user asks for is limited")
    scene.clock.advance(by: .milliseconds(59_999))
    #expect(await refresh() == .wait(until: next))
    scene.clock.advance(by: .milliseconds(1))
    #expect(await refresh() == .done)
    #expect(await refresh() == .wait(until: next.addingTimeInterval(90)))
    #expect(scene.transport.lines.count == 4)

    scene.clock.advance(by: .seconds(-400_000_000))
    let emptied = scene.clock.now.addingTimeInterval(90)
    #expect(await refresh() == .wait(until: emptied), "a clock set back locks nobody out")
  }

  @Test("flow 5 B6: a refresh by the user waits and sends nothing while the token bucket is empty")
  func bucket() async throws { try await flowBucket(.complete) }

  @Test(
    "flow 5: the token bucket flow fails when one of these features is missing",
    arguments: [
      BrazeDoor.steps("a step that waits") { step in
        if case .wait = step { .done([]) } else { step }
      },
      BrazeDoor(
        "to know what the user asked for",
        KitVariant(host: { memory in
          BrazeChangedHost(
            memory: memory,
            context: { context in
              var context = context
              context.isUserRequested = true
              return context
            })
        })),
      BrazeDoor.changes("a bucket that is remembered") { change in
        if case .keep(.installation, "bucket.fullAt", _) = change { nil } else { change }
      },
    ])
  func bucketNeeds(variant: BrazeDoor) async {
    await withKnownIssue { try await flowBucket(variant.variant) }
  }

  // MARK: A refused signature

  private static let refused = #","auth_error":{"error_code":22,"reason":"r","signature":"s-1"}"#

  /// A vendor that refuses one signature and says its settings beside it.
  private static func vendor(refusing bad: Secret) -> ScriptedTransport {
    ScriptedTransport { request in
      let isBad = request.headers.secret("X-Braze-Auth-Signature") == bad
      return .json(200, BrazeScene.config(100, besides: isBad ? refused : ""))
    }
  }

  private func flowSignature(_ variant: KitVariant) async throws {
    let asked = Locked(0)
    let scene = try BrazeScene(variant, signs: true, Self.vendor(refusing: Secret("s-1"))) { _ in
      asked.withLock { $0 += 1 }
      return Secret("s-2")
    }
    scene.memory.setCredential(Secret("s-1"))
    #expect(await scene.runners.perform(.settings) == .done)
    #expect(scene.signatures == [Secret("s-1"), Secret("s-2")])
    #expect(asked.withLock { $0 } == 1)
    let config = scene.body(1)["respond_with"]?["config"]?["config_time"]
    #expect(config == 100, "the settings of the refused request are kept")
    #expect(scene.memory.settings.cardsEnabled == true)
    #expect(scene.memory.value(.user, "auth.refusals") == nil)

    let poor = try BrazeScene(variant, signs: true, Self.vendor(refusing: Secret("s-1")))
    poor.memory.setCredential(Secret("s-1"))
    guard case .refused(let error) = await poor.runners.perform(.settings) else {
      Issue.record("a signature that nobody renews is refused")
      return
    }
    #expect(error.code == .unauthenticated)
    #expect(poor.memory.settings.cardsEnabled == true, "a refusal may bring settings")
    #expect(poor.memory.value(.user, "auth.refusals") == "1")
    poor.memory.setCredential(Secret("s-3"))
    #expect(await poor.runners.perform(.settings) == .done)
    #expect(poor.transport.requests.count == 2)
  }

  @Test(
    "flow 5 B7: an answer that refuses the signature keeps its settings and renews the signature once"
  )
  func signature() async throws { try await flowSignature(.complete) }

  @Test(
    "flow 5: the refused signature flow fails when one of these features is missing",
    arguments: [
      BrazeDoor("a commit for each step", .withoutCommitPerStep),
      BrazeDoor(
        "a refusal that may bring changes",
        .without { adapter in
          adapter.answer = { $0.verdict == .done ? $0 : Answer([], $0.verdict) }
        }),
      BrazeDoor(
        "a renewal as a verdict",
        .without { adapter in
          adapter.answer = { answer in
            guard case .renew = answer.verdict else { return answer }
            let error = EngagementError(.unauthenticated, "no")
            return Answer(answer.changes, .refused(error))
          }
        }),
    ])
  func signatureNeeds(variant: BrazeDoor) async {
    await withKnownIssue { try await flowSignature(variant.variant) }
  }

  private func flowTenAtOnce(_ variant: KitVariant) async throws {
    let (arrivals, asking, asked) = (Gate(), Gate(), Locked(0))
    let transport = ScriptedTransport { request in
      if request.line == BrazeScene.dataLine { return .json(200, BrazeScene.config(100)) }
      guard request.headers.secret("X-Braze-Auth-Signature") == Secret("s-1") else {
        return .json(200, BrazeScene.sync(full: false, []))
      }
      await arrivals.pass()
      return .json(200, #"{"auth_error":{"error_code":22}}"#)
    }
    let scene = try BrazeScene(variant, signs: true, transport) { _ in
      asked.withLock { $0 += 1 }
      await asking.pass()
      return Secret("s-2")
    }
    scene.memory.setCredential(Secret("s-1"))
    _ = await scene.runners.perform(.settings)
    let outcomes = await withTaskGroup(of: OperationRunner.Outcome.self) { group in
      for _ in 0..<10 { group.addTask { await scene.sync() } }
      await arrivals.isHolding(10)
      arrivals.open()
      await asking.isHolding(variant.sharesRunner ? 1 : 10)
      asking.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(asked.withLock { $0 } == 1)
    #expect(scene.signatures.filter { $0 == Secret("s-2") }.count == 10)
  }

  @Test("flow 5 B7: ten requests refused at once ask for one signature and are sent again")
  func tenAtOnce() async throws { try await flowTenAtOnce(.complete) }

  @Test("flow 5: the ten requests flow fails without single flight")
  func tenAtOnceNeed() async {
    await withKnownIssue { try await flowTenAtOnce(.withoutSingleFlight) }
  }
}
