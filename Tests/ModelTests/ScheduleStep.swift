import TestSupport

/// One step of a schedule for an installation.
enum ScheduleStep: Hashable, Sendable {
  case signIn(Int)
  case signOut(wiping: Bool)
  /// Refreshes a surface.
  case refresh(inbox: Bool)
  /// An action on the n-th visible item.
  case dismiss(Int)
  case click(Int)
  case read(Int)
  case delete(Int)
  /// A custom event.
  case track
  /// The outbox sender delivers as much as possible.
  case send
  case network(Network.Mode, vendor: Int)
  /// The vendor adds or removes an item of a user.
  case vendorAdds(user: Int, inbox: Bool, vendor: Int)
  case vendorEmpties(user: Int, inbox: Bool, vendor: Int)
  case vendorExpiresCredentials(vendor: Int)
  case vendorForgetsDevices(vendor: Int)
  /// The process is killed and started again.
  case crash
  /// The wall clock is set.
  case clock(days: Int)
  /// Time passes.
  case wait(seconds: Int)
  case erase(Int)
  /// A surface gets another route.
  case route(RoutedPlace, RouteChoice)

  /// What has a route here.
  enum RoutedPlace: CaseIterable { case cards, inbox, events }

  /// A route, as far as its surface can have it.
  enum RouteChoice: CaseIterable {
    case first, second, both, firstReady, shadow, split, none, configured
  }

  static let vendors = 2
  /// The number of users; user 0 is anonymous.
  static let users = 4

  /// The schedule of a seed.
  static func schedule(seed: UInt64, length: Int) -> [ScheduleStep] {
    var random = SeededGenerator(seed: seed)
    return (0..<length).map { _ in any(&random) }
  }

  private static func any(_ random: inout SeededGenerator) -> ScheduleStep {
    switch random.below(106) {
    case ..<8: .signIn(1 + random.below(users - 1))
    case ..<11: .signOut(wiping: random.chance(30))
    case ..<22: .refresh(inbox: random.chance(40))
    case ..<28: .dismiss(random.below(8))
    case ..<34: .click(random.below(8))
    case ..<39: .read(random.below(8))
    case ..<42: .delete(random.below(8))
    case ..<52: .track
    case ..<66: .send
    case ..<76: .network(random.pick(Network.Mode.allCases), vendor: random.below(vendors))
    case ..<83:
      .vendorAdds(
        user: random.below(users), inbox: random.chance(40), vendor: random.below(vendors))
    case ..<85:
      .vendorEmpties(
        user: random.below(users), inbox: random.chance(40), vendor: random.below(vendors))
    case ..<87: .vendorExpiresCredentials(vendor: random.below(vendors))
    case ..<88: .vendorForgetsDevices(vendor: random.below(vendors))
    case ..<92: .crash
    case ..<95: .clock(days: random.pick([-3_650, -1, 1, 3_650]))
    case ..<99: .wait(seconds: random.pick([1, 30, 600, 7_200]))
    case ..<100: .erase(random.below(users))
    default: .route(random.pick(RoutedPlace.allCases), random.pick(RouteChoice.allCases))
    }
  }
}
