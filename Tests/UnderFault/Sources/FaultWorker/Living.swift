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
    await enter(Application.users.randomElement(using: &random) ?? user)
    say("ready")
    while true {
      await step()
      if await application.pending() ?? 0 > Self.most { await rest() }
    }
  }

  private mutating func step() async {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<34: await act(.track(user))
    case 34..<40: await act(.leave(user))
    case 40..<85: await actOnItem()
    case 85..<92: await refresh()
    case 92..<95: await enter(Application.users.randomElement(using: &random) ?? user)
    default: await rest()
    }
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

  private mutating func enter(_ next: String) async {
    for _ in 0..<10 {
      do throws(EngagementError) {
        try await application.signIn(next)
        user = next
        say("user \(next)")
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
