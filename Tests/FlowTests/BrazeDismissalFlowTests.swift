import BrazeFixtures
import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 7 as an application sees it.
@Suite("Braze: dismissed cards", .timeLimit(.minutes(20)))
struct BrazeDismissalFlowTests {
  private static let both = BrazeScene.sync(
    full: true, [BrazeScene.card("x"), BrazeScene.card("y")])

  private func scene(_ variant: KitVariant) async throws -> AppScene {
    let syncs = [
      Self.both, Self.both,
      BrazeScene.sync(full: false, [#"{"id":"x","ca":200,"tt":"Look again"}"#]),
      BrazeScene.sync(full: true, [BrazeScene.card("y")]), Self.both,
    ]
    let scene = try await AppScene(
      "braze", try BrazeScene.adapter(), behind: variant,
      ScriptedTransport([
        BrazeScene.dataLine: [
          .json(200, BrazeScene.config(100)), .json(200, #"{"message":"success"}"#),
          HTTPResponse(400),
        ],
        BrazeScene.syncLine: syncs.map { .json(201, $0) },
      ]))
    try await scene.signIn("u-1")
    return scene
  }

  @Test("flow 7 B3 X7: a dismissed card stays hidden while the vendor lists it")
  func dismissal() async throws { try await flowDismissal(.complete) }

  @Test(
    "flow 7: the dismissal flow in an application fails when one of these features is missing",
    arguments: [
      BrazeDoor(
        "actions that travel as events",
        .without { $0.capabilities.abilities[.act("dismiss", on: .cards)] = .localOnly }),
      BrazeDoor(
        "refusals that undo",
        .without { adapter in
          adapter.answer = { answer in
            guard case .refused = answer.verdict else { return answer }
            return Answer(answer.changes)
          }
        }),
      BrazeDoor.mode("lists that end what is not in them") { mode in
        if case .replace = mode { .put } else { mode }
      },
    ])
  func dismissalNeeds(variant: BrazeDoor) async {
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
    try expectEvent(in: scene)
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

  private func expectEvent(in scene: AppScene) throws {
    #expect(scene.transport.lines == [BrazeScene.dataLine])
    let body = try #require(scene.transport.requests.first?.body)
    let event = try JSON(parsing: body)["events"]?.array?.first
    #expect(event?["name"] == "ccd" && event?["data"] == ["ids": ["x"]])
    #expect(event?["user_id"] == "u-1")
  }
}

extension Engagement.Receipt.Outcome {
  /// What the vendor's refusal says.
  var refusal: String? { if case .rejected(let error) = self { error.message } else { nil } }
}
