import EngagementKit
import EngagementModel

/// Scenes that the driver controls through the servers and standard input.
struct Scenes {
  let application: Application

  /// The second user signs in during a request of the first.
  func leaving(_ what: String) async throws(EngagementError) {
    try await application.signIn("u-1")
    if what == "token" {
      // The first user's device is registered; afterwards the server refuses its token.
      await application.refresh()
      await application.settle(within: .seconds(5))
      say("settled")
      guard readLine() == "go" else { return }
    }
    if what == "live" {
      // The cards are there by the live channel alone.
      while application.engagement.cards(in: Application.container).cards.isEmpty {
        // The task is never cancelled before the process ends.
        try? await Task.sleep(for: .milliseconds(1))
      }
      say("settled")
    }
    // The kit requests cards only if the settings enable them.
    if what == "cards" { _ = await application.engagement.refresh(.settings) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await application.engagement.refresh(target(what)) }
      group.addTask { await change() }
    }
    // Refreshes again after all late answers.
    await application.refresh()
    for number in 1...5 { await application.perform(.track("u-2"), number) }
    for (index, deed) in application.deeds(of: "u-2").enumerated() {
      await application.perform(deed, 100 + index)
    }
    await application.settle(within: .seconds(5))
    look()
  }

  private func target(_ what: String) -> Engagement.RefreshTarget {
    what == "inbox" || what == "token" ? .inbox : .cards
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

  /// The route of the cards leads to another vendor during a request to the former, and back.
  func switching() async throws(EngagementError) {
    try await application.signIn("u-1")
    _ = await application.engagement.refresh(.settings)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await application.engagement.refresh(.cards) }
      group.addTask { await route(to: Application.liveProvider, when: "switch") }
    }
    while application.engagement.cards(in: Application.container).cards.isEmpty {
      // The task is never cancelled before the process ends.
      try? await Task.sleep(for: .milliseconds(1))
    }
    say("late")
    look()
    await route(to: "braze", when: "back")
  }

  private func route(to provider: ProviderID, when word: String) async {
    guard readLine() == word else { return }
    do throws(EngagementError) {
      try await application.setRoute(provider.rawValue, .only(provider))
    } catch {
      say("fault route \(error.code)")
    }
    say("at \(provider.rawValue)")
    look()
    say("seen \(provider.rawValue)")
  }

  /// A user with pending actions and a device is erased.
  func erasing() async throws(EngagementError) {
    try await application.signIn("u-1")
    await application.refresh()
    say("settled")
    guard readLine() == "go" else { return }
    for number in 1...20 { await application.perform(.track("u-1"), number) }
    say("filled")
    guard readLine() == "erase" else { return }
    let user = User("u-1")
    do throws(EngagementError) {
      // As a vendor does that gives each user a secret.
      let secrets = try Engagement.FileSecretStore(path: "\(application.path).secrets")
      let owner = Engagement.SecretOwner(environment: "production", provider: "vibes", user: user)
      try await secrets.set(["session": Secret("secret-of-u-1")], of: owner)
      say("secret")
      let report = try await application.engagement.eraseData(of: user)
      say("erased \(report.discarded)")
    } catch {
      say("fault erase \(error.code)")
    }
    _ = readLine()
  }

  /// Events that are accepted without a network and sent together later.
  func batching() async throws(EngagementError) {
    try await application.signIn("u-1")
    say("settled")
    guard readLine() == "go" else { return }
    for number in 1...17 { await application.perform(.track("u-1"), number) }
    say("filled")
    _ = readLine()
    await application.settle(within: .seconds(10))
  }

  /// Concurrent requests that need a device or a signature.
  func crowd() async throws(EngagementError) {
    try await application.signIn("u-1")
    await withTaskGroup(of: Void.self) { group in
      for target in [Engagement.RefreshTarget.inbox, .person, .settings] {
        group.addTask { _ = await application.engagement.refresh(target) }
      }
      // In sequence, because they must arrive in this order.
      group.addTask {
        for number in 1...20 { await application.perform(.track("u-1"), number) }
      }
    }
    await application.settle(within: .seconds(5))
  }
}
