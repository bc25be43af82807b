import EngagementKit
import EngagementModel

/// Scenes that the driver directs through the servers and through standard input.
struct Scenes {
  let application: Application

  /// Something of the first user is on its way while the second signs in.
  func leaving(_ what: String) async throws(EngagementError) {
    try await application.signIn("u-1")
    if what == "token" {
      // The device is registered and the user's, and its token is refused from then on.
      await application.refresh()
      await application.settle(within: .seconds(5))
      say("settled")
      guard readLine() == "go" else { return }
    }
    // Cards are asked for only where the settings say that there are any.
    if what == "cards" { _ = await application.engagement.refresh(.settings) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await application.engagement.refresh(target(what)) }
      group.addTask { await change() }
    }
    // Once more with all that came late in its place.
    await application.refresh()
    for number in 1...5 { await application.perform(.track("u-2"), number) }
    for (index, deed) in application.deeds(of: "u-2").enumerated() {
      await application.perform(deed, 100 + index)
    }
    await application.settle(within: .seconds(5))
    look()
  }

  private func target(_ what: String) -> Engagement.RefreshTarget {
    what == "cards" ? .cards : .inbox
  }

  private func change() async {
    guard readLine() == "leave" else { return }
    do throws(EngagementError) {
      try await application.signIn("u-2")
    } catch {
      say("fault signIn \(error.code)")
    }
    say("left")
    look()
    guard readLine() == "look" else { return }
    look()
  }

  private func look() {
    for card in application.engagement.cards(in: Application.container).cards {
      say("shown \(card.id.value)")
    }
  }

  /// Everything that needs a device or a signature, all at once.
  func crowd() async throws(EngagementError) {
    try await application.signIn("u-1")
    await withTaskGroup(of: Void.self) { group in
      for target in [Engagement.RefreshTarget.inbox, .person, .settings] {
        group.addTask { _ = await application.engagement.refresh(target) }
      }
      // One after the other: they are to arrive in this order.
      group.addTask {
        for number in 1...20 { await application.perform(.track("u-1"), number) }
      }
    }
    await application.settle(within: .seconds(5))
  }
}
