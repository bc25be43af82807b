import BrazeFixtures
import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// Flow 7 as an application sees it.
@Suite("Braze: dismissed cards", .timeLimit(.minutes(20)))
struct BrazeDismissalFlowTests {
  private static let both = Braze.sync(
    full: true, [Braze.card("x"), Braze.card("y")])

  /// The application is on the screen, in a session.
  private func scene(_ variant: KitVariant) async throws -> AppScene {
    let syncs = [
      Self.both, Self.both,
      Braze.sync(full: false, [#"{"id":"x","ca":200,"tt":"Look again"}"#]),
      Braze.sync(full: true, [Braze.card("y")]), Self.both,
    ]
    let success = HTTPResponse.json(200, #"{"message":"success"}"#)
    let scene = try await AppScene.braze(
      behind: variant, syncs: syncs,
      data: [success, success, success, .json(400, #"{"message":"Bad request"}"#)])
    scene.engagement.setScenePhase(.active)
    await scene.deliver()
    return scene
  }

  @Test("flow 7 B3 X7: a dismissed card stays hidden while the vendor lists it")
  func dismissal() async throws { try await flowDismissal(.complete) }

  @Test(
    "flow 7: the dismissal flow fails when one of these features is missing",
    arguments: [
      BrazeVariant(
        "an overlay that refreshes leave alone",
        .without { adapter in
          adapter.answer = { answer in
            let changes = answer.changes.flatMap { change -> [Change] in
              guard case .items(let feed, _, _) = change else { return [change] }
              return [.items(feed, .replace(.nothing), []), change]
            }
            return Answer(changes, answer.verdict)
          }
        }),
      BrazeVariant(
        "actions that travel as events",
        .without { $0.capabilities.abilities[.act("dismiss", on: .cards)] = .localOnly }),
      BrazeVariant(
        "refusals that undo",
        .without { adapter in
          adapter.answer = { answer in
            guard case .refused = answer.verdict else { return answer }
            return Answer(answer.changes)
          }
        }),
      BrazeVariant.mode("lists that end what is not in them") { mode in
        if case .replace = mode { .put } else { mode }
      },
    ])
  func dismissalNeeds(variant: BrazeVariant) async {
    await withKnownIssue { try await flowDismissal(variant.variant) }
  }

  private func flowDismissal(_ variant: KitVariant) async throws {
    let scene = try await scene(variant)
    #expect(await scene.refresh(.cards(in: "home")) == .fresh)
    #expect(Set(scene.cards()) == ["x", "y"])
    let receipt = try await scene.perform(.dismiss, on: "x")
    #expect(scene.cards() == ["y"], "at once")
    #expect(try await scene.pending == 1)
    scene.transport.forget()
    await scene.deliver()
    try await expectEvent(in: scene)
    #expect(try await receipt.outcome() == .delivered)
    for (visible, when) in [
      (["y"], "still listed, still hidden"), (["y"], "changed, still hidden"),
      (["y"], "not listed any more"), (["x", "y"], "sent again after it was gone: a new card"),
    ] as [(Set<String>, Comment)] {
      _ = await scene.refresh(.cards(in: "home"))
      #expect(Set(scene.cards()) == visible, when)
    }
    let refused = try await scene.perform(.dismiss, on: "y")
    #expect(scene.cards() == ["x"])
    await scene.deliver()
    #expect(Set(scene.cards()) == ["x", "y"], "refused, so it is back")
    #expect(try await refused.outcome().refusal == "Braze did not take the request.")
    try await scene.end()
  }

  private func expectEvent(in scene: AppScene) async throws {
    #expect(scene.transport.lines == [Braze.dataLine])
    let event = scene.body(0)["events"]?.array?.first
    #expect(event?["name"] == "ccd" && event?["data"] == ["ids": ["x"]])
    let session = try #require(try await scene.context.session)
    #expect(event?["session_id"] == .string(session.id.rawValue) && event?["user_id"] == "u-1")
    #expect(event?["time"]?.number == scene.clock.now.timeIntervalSince1970)
  }
}

extension Engagement.Receipt.Outcome {
  /// What the vendor's refusal says.
  var refusal: String? { if case .rejected(let error) = self { error.message } else { nil } }
}
