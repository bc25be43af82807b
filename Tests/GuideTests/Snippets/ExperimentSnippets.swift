import EngagementKit
import EngagementModel

func experiment(_ engagement: Engagement) async throws {
  let split = try Engagement.Split(
    "cards-2026",
    arms: [
      .init("old", providers: ["braze"]), .init("new", weight: 2, providers: ["atomic"]),
      .init("nothing", providers: []),
    ], otherwise: ["braze"], layer: .init("home", slots: 0..<5_000),
    holdOut: .init("all", share: 0.05))
  try await engagement.setRoute(.split(split), for: .cards)
  try await engagement.setRoute(.split(split), for: .push)
  print(split.standing(of: "user-17"))  // such as arm("new")
}
