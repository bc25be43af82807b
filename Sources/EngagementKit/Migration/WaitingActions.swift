import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// What is still to be sent to the two providers of a migration.
struct WaitingActions: Hashable, Sendable {
  /// What the present user has to tell the new provider of the person and the push token.
  private(set) var untold = 0
  /// The present user's actions for the old provider.
  private var own = 0
  /// Those of users who are not signed in here. They are sent when their users sign in.
  private(set) var others = 0
  /// What was done while no user was signed in, where somebody is signed in now.
  private(set) var anonymous = 0
  /// What consent forbids to be sent: of the present user to the new provider, and of all to the old one.
  private(set) var withheld = 0

  private static let limit = 10_000

  init() {}

  /// - Parameter isAnyForOld: Whether anything waits for the old provider.
  init(
    for plan: Engagement.MigrationPlan, by dependencies: KitDependencies, in partition: Partition,
    isAnyForOld: Bool
  ) async throws(EngagementError) {
    let store = dependencies.store
    func capabilities(_ id: ProviderID) -> AdapterCapabilities? {
      dependencies.providers.first { $0.id == id }?.adapter.capabilities
    }
    let rule = ConsentPolicy(consent: try await store.consent(of: partition))
    let new = capabilities(plan.to)
    for row in try await store.pending(for: plan.to, in: partition, limit: Self.limit)
    where row.work.isTold {
      if rule.withholds(row, from: new) { withheld += 1 } else { untold += 1 }
    }
    guard isAnyForOld else { return }
    let old = capabilities(plan.from)
    for user in try await store.usersWaiting(for: plan.from, limit: Self.limit) {
      let rule = ConsentPolicy(consent: user.consent)
      let isPresent = user.partition == partition
      let isAnonymous = user.partition.user.isAnonymous
      // No action of a person: it says when the application was used, and may never be sent.
      let rows = user.rows.filter { isPresent && !isAnonymous || !$0.work.isOfSession }
      let kept = rows.count { rule.withholds($0, from: old) }
      withheld += kept
      let sendable = rows.count - kept
      if isPresent {
        own += sendable
      } else if isAnonymous {
        anonymous += sendable
      } else {
        others += sendable
      }
    }
  }

  /// How many actions are still to be sent to the old provider.
  var left: Int { own + others + anonymous }

  /// What ends the waiting of others at `drain`, and what is not counted.
  func sentences(at stage: Engagement.MigrationStage) -> [String] {
    var sentences: [String] = []
    if others > 0, stage == .drain {
      sentences.append(
        "\(others) of the pending actions \(others == 1 ? "belongs" : "belong") to people who are not "
          + "signed in here: they are sent when these people sign in, and left behind when drainsUntil "
          + "of the plan has come or by a forced step.")
    }
    if anonymous > 0, stage == .drain {
      let (verb, object) = anonymous == 1 ? ("belongs", "it") : ("belong", "them")
      sentences.append(
        "\(anonymous) of the pending actions \(verb) to the anonymous user: sign out to "
          + "send or drop \(object), or leave \(object) behind by drainsUntil of the plan or by a "
          + "forced step.")
    }
    if withheld > 0 {
      sentences.append(
        "\(withheld) more \(withheld == 1 ? "waits" : "wait") for consent that allows to send "
          + "\(withheld == 1 ? "it, and does" : "them, and do") not count.")
    }
    return sentences
  }
}

extension OutboxRow.Work {
  /// Whether it only says that the application was used.
  fileprivate var isOfSession: Bool {
    guard case .event(let event) = self else { return false }
    return event.kind == .sessionStart || event.kind == .sessionEnd
  }

  /// Whether it tells the vendor who the person is, what it may do and where pushes go.
  fileprivate var isTold: Bool {
    guard case .operation(let operation) = self else { return false }
    let verbs: [Operation.Verb] = [
      .associate, .updatePerson, .registerPush, .optOut, .device(.register),
    ]
    return verbs.contains(operation.verb)
  }
}

extension ConsentPolicy {
  /// Whether a row waits until the user allows more.
  fileprivate func withholds(_ row: OutboxRow, from vendor: AdapterCapabilities?) -> Bool {
    switch row.work {
    case .event(let event) where event.kind == .sessionStart: !allowsSessionStart
    case .event, .operation:
      !allowsSending(row) && vendor?.isWithdrawal(row.work.verb) != true
    }
  }
}
