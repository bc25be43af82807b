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
@Suite("Braze: settings, limits and signatures", .timeLimit(.minutes(20))) struct BrazeFlowTests {
  // MARK: Settings

  private func flowSettings(_ variant: KitVariant) async throws {
    let answers = [
      Braze.config(100), Braze.config(90, enabled: false),
      Braze.config(110, enabled: false),
    ]
    let scene = try await AppScene.braze(
      behind: variant,
      ScriptedTransport([
        Braze.dataLine: answers.map { .json(200, $0) },
        Braze.syncLine: [.json(200, Braze.sync(full: true, [Braze.card("a")]))],
      ]))
    #expect(await scene.sync() == .done)
    #expect(scene.transport.lines.isEmpty)

    #expect(await scene.execute(.settings) == .done)
    let enabled = VendorSettings(cardsEnabled: true)
    #expect(try await scene.settings == enabled)
    #expect(await scene.sync() == .done)
    #expect(scene.transport.lines == [Braze.dataLine, Braze.syncLine])
    #expect(scene.cards() == ["a"])

    #expect(await scene.execute(.settings) == .done)
    #expect(try await scene.settings == enabled, "older settings do not count")
    #expect(await scene.execute(.settings) == .done)
    #expect(try await scene.settings.cardsEnabled == false)
    #expect(scene.cards().isEmpty)
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
      BrazeVariant.steps("a step that is done without a request") { step in
        if case .done = step { .wait(until: .distantFuture) } else { step }
      },
      BrazeVariant.changes("values of the installation") { change in
        if case .keep(.installation, _, _) = change { nil } else { change }
      },
      BrazeVariant.changes("settings as a change") { change in
        if case .settings = change { nil } else { change }
      },
      BrazeVariant.mode("a list that replaces") { mode in
        if case .replace = mode { .put } else { mode }
      },
    ])
  func settingsNeed(variant: BrazeVariant) async {
    await withKnownIssue { try await flowSettings(variant.variant) }
  }

  // MARK: The bucket

  private func flowBucket(_ variant: KitVariant) async throws {
    let limit = #","rate_limit":{"enabled":true,"capacity":2,"refill_rate":90}"#
    let scene = try await AppScene.braze(
      behind: variant,
      ScriptedTransport([
        Braze.dataLine: [.json(200, Braze.config(100, limit: limit))],
        Braze.syncLine: [.json(200, Braze.sync(full: false, []))],
      ]))
    _ = await scene.execute(.settings)
    scene.transport.forget()
    func refresh() async -> OperationRunner.Outcome {
      await scene.sync(isUserRequested: true)
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
    #expect(
      await refresh() == .wait(until: emptied),
      "a clock that is set back does not lock the user out")
  }

  @Test("flow 5 B6: a refresh by the user waits and sends nothing while the token bucket is empty")
  func bucket() async throws { try await flowBucket(.complete) }

  @Test(
    "flow 5: the token bucket flow fails when one of these features is missing",
    arguments: [
      BrazeVariant.steps("a step that waits") { step in
        if case .wait = step { .done([]) } else { step }
      },
      BrazeVariant(
        "to know what the user asked for",
        .without { adapter in
          adapter.context = { context in
            var context = context
            context.isUserRequested = true
            return context
          }
        }),
      BrazeVariant.changes("a bucket that is remembered") { change in
        if case .keep(.installation, "bucket.fullAt", _) = change { nil } else { change }
      },
    ])
  func bucketNeeds(variant: BrazeVariant) async {
    await withKnownIssue { try await flowBucket(variant.variant) }
  }

  // MARK: A refused signature

  private static let refused = #","auth_error":{"error_code":22,"reason":"r","signature":"s-1"}"#

  /// A vendor that refuses one signature and says its settings beside it.
  private static func vendor(refusing bad: Secret) -> ScriptedTransport {
    ScriptedTransport { request in
      let isBad = request.headers.secret("X-Braze-Auth-Signature") == bad
      return .json(200, Braze.config(100, besides: isBad ? refused : ""))
    }
  }

  private func flowSignature(_ variant: KitVariant) async throws {
    let asked = Locked(0)
    let scene = try await AppScene.braze(
      behind: variant, signs: true, Self.vendor(refusing: Secret("s-1"))
    ) { _ in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      return Secret("s-\(count)")
    }
    try await scene.engagement.renewCredential(of: scene.provider)
    #expect(await scene.execute(.settings) == .done)
    #expect(scene.signatures == [Secret("s-1"), Secret("s-2")])
    #expect(asked.withLock { $0 } == 2)
    let config = scene.body(1)["respond_with"]?["config"]?["config_time"]
    #expect(config == 100, "the settings of the refused request are kept")
    #expect(try await scene.settings.cardsEnabled == true)
    #expect(try await scene.userValue("auth.refusals") == nil)
    try await scene.end()
    try await flowWithoutRenewal(variant)
  }

  /// The application has no other signature at first.
  private func flowWithoutRenewal(_ variant: KitVariant) async throws {
    let signatures = Locked([Secret("s-1"), nil, Secret("s-3")])
    let scene = try await AppScene.braze(
      behind: variant, signs: true, Self.vendor(refusing: Secret("s-1"))
    ) { _ in
      signatures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    try await scene.engagement.renewCredential(of: scene.provider)
    guard case .refused(let error) = await scene.execute(.settings) else {
      Issue.record("A refused signature without another one is an error.")
      return
    }
    #expect(error.code == .unauthenticated)
    #expect(try await scene.settings.cardsEnabled == true, "a refusal may bring settings")
    #expect(try await scene.userValue("auth.refusals") == "1")
    scene.clock.advance(by: .seconds(300))
    #expect(await scene.execute(.settings) == .done)
    #expect(scene.signatures == [Secret("s-1"), Secret("s-1"), Secret("s-3")])
    try await scene.end()
  }

  @Test(
    "flow 5 B7: an answer that refuses the signature keeps its settings and renews the signature once"
  )
  func signature() async throws { try await flowSignature(.complete) }

  @Test(
    "flow 5: the refused signature flow fails when one of these features is missing",
    arguments: [
      BrazeVariant(
        "a refusal that may bring changes",
        .without { adapter in
          adapter.answer = { $0.verdict == .done ? $0 : Answer([], $0.verdict) }
        }),
      BrazeVariant(
        "a renewal as a verdict",
        .without { adapter in
          adapter.answer = { answer in
            guard case .renew = answer.verdict else { return answer }
            let error = EngagementError(.unauthenticated, "no")
            return Answer(answer.changes, .refused(error))
          }
        }),
    ])
  func signatureNeeds(variant: BrazeVariant) async {
    await withKnownIssue { try await flowSignature(variant.variant) }
  }

  @Test("flow 5 B7: ten requests refused at once ask for one signature and are sent again")
  func tenAtOnce() async throws {
    let (arrivals, asking, asked) = (Gate(), Gate(), Locked(0))
    let transport = ScriptedTransport { request in
      if request.line == Braze.dataLine { return .json(200, Braze.config(100)) }
      guard request.headers.secret("X-Braze-Auth-Signature") == Secret("s-1") else {
        return .json(200, Braze.sync(full: false, []))
      }
      await arrivals.pass()
      return .json(200, #"{"auth_error":{"error_code":22}}"#)
    }
    let scene = try await AppScene.braze(signs: true, transport) { _ in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      guard count > 1 else { return Secret("s-1") }
      await asking.pass()
      return Secret("s-2")
    }
    _ = await scene.execute(.settings)
    let outcomes = await scene.execute(Array(repeating: Braze.cards, count: 10)) {
      await arrivals.isHolding(10)
      arrivals.open()
      await asking.isHolding(1)
      await scene.waiters(9)
      asking.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(asked.withLock { $0 } == 2, "for the first signature, then for the ten refusals")
    #expect(scene.signatures.filter { $0 == Secret("s-2") }.count == 10)
    try await scene.end()
  }
}
