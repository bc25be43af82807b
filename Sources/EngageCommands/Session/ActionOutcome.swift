import EngagementKit
import EngagementModel

/// What became of something within the time that a command waits for it.
enum ActionOutcome: Hashable {
  case delivered, kept, pending
  case rejected(EngagementError)
  case expired, evicted, wiped

  /// Waits for the receipt's outcome, no longer than the patience.
  static func of(
    _ receipt: Engagement.Receipt, in context: CommandContext
  ) async throws -> ActionOutcome {
    ActionOutcome(try await receipt.outcome(within: context.patience))
  }

  init(_ outcome: Engagement.Receipt.Outcome?) {
    self =
      switch outcome {
      case .delivered?: .delivered
      case .kept?: .kept
      case .rejected(let error)?: .rejected(error)
      case .expired?: .expired
      case .discarded(.evicted)?: .evicted
      case .discarded(.wiped)?: .wiped
      case nil: .pending
      }
  }

  /// The outcome with what is wrong with a credential in the words of the configuration.
  func explained(
    by credentials: ConfiguredCredentials, at provider: ProviderID? = nil
  ) -> ActionOutcome {
    guard case .rejected(let error) = self else { return self }
    return .rejected(credentials.explained(error, at: provider))
  }

  var name: String {
    switch self {
    case .delivered: "delivered"
    case .kept: "kept"
    case .pending: "pending"
    case .rejected: "rejected"
    case .expired: "expired"
    case .evicted: "evicted"
    case .wiped: "wiped"
    }
  }

  private var style: Phrase.Style {
    switch self {
    case .delivered, .kept: .green
    case .pending: .yellow
    case .rejected, .expired, .evicted, .wiped: .red
    }
  }

  /// What people read behind what was done.
  var phrase: Phrase {
    switch self {
    case .pending: "\(name, style); the next sync tries again"
    case .kept: "\("kept here", style); there was nothing to send"
    case .rejected(let error): "\(name, style): \(error.message)"
    case .wiped: phrase(erased: nil)
    case .delivered, .expired, .evicted: "\(name, style)"
    }
  }

  /// The phrase of an action that was wiped. It may have been on its way to the vendor.
  ///
  /// - Parameter erased: The user whom another command has erased; nil where it was dropped otherwise.
  private func phrase(erased: User?) -> Phrase {
    "\(name, style): \(Self.wipedText(erased))"
  }

  static func wipedText(_ erased: User?) -> String {
    let what = erased.map { "\($0.id?.rawValue ?? "the anonymous user") was erased here" }
    return "\(what ?? "dropped here"); the vendor may have received it"
  }

  /// The same, with the command's own words where there was nothing to send, and with what a person
  /// has to do before it is sent.
  func phrase(kept: String?, failure: EngagementError?, erased: User?) -> Phrase {
    if self == .kept, let kept { return Phrase(kept, style) }
    if self == .wiped { return phrase(erased: erased) }
    guard self == .pending, let failure = failure?.forPeople, failure.code.waitsForPerson else {
      return phrase
    }
    return "\(name, style): \(failure.message)"
  }

  /// Whether the vendor has refused it because it does not have what it is about.
  fileprivate var isNotFound: Bool {
    if case .rejected(let error) = self { error.code == .notFound } else { false }
  }

  var members: JSONObject {
    var members: JSONObject = ["outcome": .string(name)]
    if case .rejected(let error) = self {
      members["error"] = .string(error.code.rawValue)
      members["message"] = .string(error.message)
    }
    return members
  }

  /// What is accepted is done or will be.
  var status: ExitStatus {
    switch self {
    case .delivered, .kept, .pending: .done
    case .rejected, .expired, .evicted, .wiped: .failed
    }
  }
}

extension Invocation {
  /// Waits for the receipt, says what became of it, and gives the exit status. If providers differ,
  /// each has a line. A vendor that has asked for a pause is named if the action waits.
  ///
  /// - Parameters:
  ///   - engagement: What the action was accepted by.
  ///   - all: The providers of which each is named, also one that is not told.
  ///   - lacking: What a provider that is not told does not have.
  ///   - kept: What there is to say of a provider for which there was nothing to send.
  ///   - isPropagated: Whether each provider has a line, since vendors of other copies were told too.
  func conclude(
    _ receipt: Engagement.Receipt, of engagement: Engagement, _ what: Phrase, _ members: JSONObject,
    among all: [ProviderID] = [], on surface: Engagement.Surface? = nil,
    lacking: String = "request for this", kept: String? = nil, isPropagated: Bool = false
  ) async throws -> ExitStatus {
    let user = engagement.user
    let delivery = try await delivery(of: receipt, what).explained(by: credentials)
    var members = JSONObject(uniqueMembers: members.members + delivery.members.members)
    let ends = receipt.providers.sorted().map {
      (
        provider: $0,
        outcome: ActionOutcome(receipt.outcomes[$0]).explained(by: credentials, at: $0)
      )
    }
    let others = all.filter { !receipt.providers.contains($0) }.sorted()
    if ends.count + others.count > 1 {
      members["providers"] = .object(
        JSONObject(
          uniqueMembers: ends.map { .init($0.provider.rawValue, .string($0.outcome.name)) }
            + others.map { .init($0.rawValue, "unsupported") }))
    }
    let failures = engagement.deliveryFailures.reduce(into: [:]) { failures, failure in
      failures[failure.key] = credentials.explained(failure.value, at: failure.key)
    }
    let isWiped = delivery == .wiped || ends.contains { $0.outcome == .wiped }
    let erased = isWiped ? try await erased(user) : nil
    if delivery == .wiped { members["message"] = .string(ActionOutcome.wipedText(erased)) }
    let ending = ends.map {
      $0.outcome.phrase(kept: kept, failure: failures[$0.provider], erased: erased)
    }
    let areAlike = ends.count <= 1 || !isPropagated && Set(ends.map(\.outcome)).count <= 1
    if others.isEmpty, areAlike {
      let one =
        ends.count == 1
        ? ending[0] : delivery.phrase(kept: kept, failure: nil, erased: erased)
      try console.line("\(what): \(one)")
    } else {
      for (end, phrase) in zip(ends, ending) {
        try console.line("\(what): \(end.provider.rawValue): \(phrase)")
      }
      for other in others {
        let reason =
          surface.flatMap { engagement.reasonNotToTell(other, on: $0) } ?? "it has no \(lacking)"
        try console.line("\(what): \(other.rawValue): \("not told", .yellow); \(reason)")
      }
    }
    try console.object(members)
    for end in ends where end.outcome.isNotFound {
      let name = end.provider.rawValue
      console.note(
        """
        \(name) does not have it any more, or the endpoint or the ids of providers.\(name) in engage.json \
        are wrong.
        """)
    }
    // Also after an answer that asks for a pause.
    try await tellPauses(of: engagement, at: Set(receipt.providers))
    return ends.isEmpty && !others.isEmpty ? .failed : delivery.status
  }

  /// What became of the action, as far as it is known when the command ends.
  private func delivery(
    of receipt: Engagement.Receipt, _ what: Phrase
  ) async throws -> ActionOutcome {
    do {
      return try await console.progress("\(what) …") {
        try await ActionOutcome.of(receipt, in: context)
      }
    } catch is CancellationError {
      console.note(
        """
        \(what): accepted, and pending; the next sync sends it. If a request was under way, the vendor \
        may have it already.
        """)
      throw CancellationError()
    }
  }

  /// The user, if another command has erased them. It drops what waits and signs them out before, so
  /// there are moments in between.
  private func erased(_ user: User) async throws -> User? {
    let reader = try reader(of: try configuration(isTold: false))
    for _ in 0..<100 where try reader.knows(user) {
      await context.clock.sleep(until: context.clock.uptime + .milliseconds(20))
    }
    return try reader.knows(user) ? nil : user
  }
}

extension EngagementError.Code {
  /// Whether nothing is sent before a person has done something: the message says what.
  fileprivate var waitsForPerson: Bool {
    [.signedOut, .unauthenticated, .consentDenied].contains(self)
  }
}

extension Engagement {
  /// Why the route of the surface keeps the provider from being told; nil if it does not.
  fileprivate func reasonNotToTell(_ provider: ProviderID, on surface: Surface) -> String? {
    let all: [Surface: Route?] = ["push": routes.push, "person": routes.person]
    guard let route = all[surface] ?? nil else { return nil }
    guard route.providers.contains(provider) else {
      return "the route of \(surface) does not name it; see \"engage routes\""
    }
    guard case .split = route, takes(surface, provider) else { return nil }
    return "the user is in an arm of the experiment that does not name it"
  }

  /// Whether the vendor has a request for what the surface tells.
  private func takes(_ surface: Surface, _ provider: ProviderID) -> Bool {
    let report = capabilities.providers.first { $0.provider == provider }
    let support = report?.surfaces.first { $0.surface == surface }?.support
    if case .native? = support { return true }
    return false
  }
}
