import EngagementKit
import EngagementModel

/// The modes in which the worker runs until it is killed or its script ends.
struct Living {
  let application: Application
  private let arguments: Arguments
  private var random: Randomness
  private var number: Int
  private var user: String

  init(_ application: Application, _ arguments: Arguments) {
    self.application = application
    self.arguments = arguments
    random = Randomness(seed: arguments.number("seed"))
    number = arguments.number("from")
    user = Application.users[0]
  }

  /// The number of pending rows above which the worker pauses, so that an outage does not fill the
  /// outbox.
  private static let most = 300

  // MARK: Loop

  mutating func loop() async {
    if application.isLive {
      application.sayRoute()
      await Moving(application: application).sayStage()
    }
    application.sayShown()
    await enterAnyone()
    say("ready")
    while true {
      await step()
      if await application.pending() ?? 0 > Self.most { await rest() }
    }
  }

  private mutating func step() async {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<32: await act(.track(user))
    case 32..<38: await act(.leave(user))
    case 38..<80: await actOnItem()
    case 80, 81: await migrate()
    case 82: await changeRoutes()
    case 83..<90: await refresh()
    case 90..<92: await enterAnyone()
    case 92: await visit()
    case 93..<97: await changeMind()
    case 97, 98: application.sayShown()
    default: await rest()
    }
  }

  /// Acts without a user, and signs one in.
  private mutating func visit() async {
    do throws(EngagementError) {
      try await application.signOut()
      for _ in 1...2 { await act(.visit) }
    } catch {
      say("fault signOut \(error.code)")
    }
    await enterAnyone()
  }

  /// Moves the cards a few stages on and back, acts on what is shown then, and mostly takes it all back.
  private mutating func migrate() async {
    guard application.isLive else { return }
    let moving = Moving(application: application)
    do throws(EngagementError) {
      try await moving.plan()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        try await moving.step(&random)
        await actOnItem()
      }
      if Int.random(in: 0..<3, using: &random) > 0 { try await moving.end() }
    } catch {
      say("fault migration \(error.code)")
    }
  }

  /// Changes the route of the cards, acts on what is shown then, and shows all of them again.
  private mutating func changeRoutes() async {
    do throws(EngagementError) {
      // While the cards move, the stage decides their route.
      guard try await Moving(application: application).stage() == .off else { return }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try await application.changeRoute(&random)
        await actOnItem()
      }
      try await application.showAllCards()
    } catch {
      say("fault route \(error.code)")
    }
  }

  /// The undecided user changes their consent, acts, and is erased at times.
  private mutating func changeMind() async {
    do throws(EngagementError) {
      try await application.signIn(Application.undecided)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let consent = [Consent.denied, .essential, .full].randomElement(using: &random) ?? .full
        try await application.decide(consent)
        await act(.choose(isAllowed: consent == .full))
      }
      if Int.random(in: 0..<3, using: &random) == 0 { try await application.eraseUndecided() }
    } catch {
      say("fault consent \(error.code)")
    }
    await enterAnyone()
  }

  // MARK: Script

  /// Performs a number of actions with two refreshes and a change of user. After all failures, one
  /// more action must be accepted.
  mutating func script() async {
    let count = arguments.number("actions")
    await enter(user)
    for step in 0..<count {
      if step == count / 4 || step == count * 3 / 4 { await refresh() }
      if step == count / 2 { await enter(Application.users[1]) }
      switch step % 6 {
      case 2, 5: await actOnItem()
      case 3: await act(.leave(user))
      default: await act(.track(user))
      }
    }
    for _ in 0..<50 {
      if await act(.track(user)) {
        say("resumed")
        break
      }
      await rest()
    }
    if !arguments.flag("quiet") { await application.settle(within: .milliseconds(200)) }
  }

  // MARK: Steps

  private mutating func enterAnyone() async {
    await enter(Application.users.randomElement(using: &random) ?? user)
  }

  private mutating func enter(_ next: String) async {
    for _ in 0..<10 {
      do throws(EngagementError) {
        try await application.signIn(next)
        user = next
        return
      } catch {
        say("fault signIn \(error.code)")
        await rest()
      }
    }
  }

  @discardableResult
  private mutating func act(_ deed: Deed) async -> Bool {
    number += 1
    return await application.perform(deed, number)
  }

  private mutating func actOnItem() async {
    guard let deed = application.deeds(of: user).randomElement(using: &random) else {
      await act(.track(user))
      return
    }
    await act(deed)
  }

  private func refresh() async {
    guard !arguments.flag("quiet") else { return }
    await application.refresh()
  }

  private func rest() async {
    // The task is never cancelled before the process ends.
    try? await Task.sleep(for: .milliseconds(2))
  }
}
