import EngagementModel

/// Which candidate a route with a fail-over shows, and what its requests told of each.
///
/// A refresh asks `firstAsks`, then `nextAsk` for as long as there is one, and after each round lets the
/// state `move`.
struct FailOverState: Hashable, Sendable {
  /// The first choice first.
  let candidates: [ProviderID]
  let rules: FailOver
  private(set) var shown: ProviderID
  private(set) var breakers: [ProviderID: Breaker]
  /// Since when a provider that is preferred to the shown one answers without a failure. Below zero for
  /// what was before the machine was started again.
  private(set) var answering: [ProviderID: Duration]
  /// The last look while any time counts, a few minutes late. If it is still to come, the machine was
  /// started again.
  private(set) var seenAt: Duration?

  /// Shows the first choice, or what a cache kept of the same route. Nil for a route without a fail-over.
  init?(_ route: Route, _ kept: Kept = Kept()) {
    let parts = route.shownBesideShadow.parts
    guard let rules = parts.failOver, let first = parts.named.first else { return nil }
    candidates = parts.named.withoutRepetition
    self.rules = rules
    shown = candidates.first { $0 == kept.shown } ?? first
    let candidates = candidates
    breakers = kept.breakers.filter { candidates.contains($0.key) }
    answering = kept.answering.filter { candidates.contains($0.key) }
    seenAt = kept.seenAt
  }

  /// What is stored over a restart.
  struct Kept: Hashable, Sendable {
    var shown: ProviderID?
    var breakers: [ProviderID: Breaker] = [:]
    var answering: [ProviderID: Duration] = [:]
    var seenAt: Duration?
  }

  var kept: Kept { Kept(shown: shown, breakers: breakers, answering: answering, seenAt: seenAt) }

  /// What a refresh learned of one provider.
  struct Report: Hashable, Sendable {
    var provider: ProviderID
    /// Whether all its requests were answered.
    var isHeard: Bool
    /// Why a request failed; nil if none failed.
    var code: EngagementError.Code?
    /// Whether the failure counts against the provider, and the cache has nothing of it.
    var hasNothing = false
  }

  // MARK: Asking

  func phase(of provider: ProviderID, at now: Duration) -> Breaker.Phase {
    breaker(of: provider).phase(at: now, under: rules)
  }

  func isOpen(_ provider: ProviderID) -> Bool { !breaker(of: provider).isClosed }

  /// The shown provider, and the best of those that are preferred to it. In place of a shown one that is
  /// not to be asked, the next.
  mutating func firstAsks(at now: Duration) -> [ProviderID] {
    look(at: now)
    var asks: [ProviderID] = []
    if rules.returning != .byHand,
      let preferred = preferred.first(where: { admit($0, at: now) })
    {
      asks.append(preferred)
    }
    if let own = admitted([shown], at: now) ?? admitted(successors(besides: asks), at: now) {
      asks.append(own)
    }
    return asks
  }

  /// Another candidate, if neither the shown one nor any of those that were asked is ready.
  mutating func nextAsk(after reports: [Report], at now: Duration) -> ProviderID? {
    guard !isReady(reports), !reports.contains(where: isReady) else { return nil }
    return admitted(successors(besides: reports.map(\.provider)), at: now)
  }

  /// Takes how a request to the provider ended.
  mutating func note(_ finding: Breaker.Finding, of provider: ProviderID, at now: Duration) {
    guard candidates.contains(provider) else { return }
    look(at: now)
    defer { keepLook(at: now) }
    var breaker = breaker(of: provider)
    breaker.note(finding, at: now, under: rules)
    breakers[provider] = breaker == Breaker() ? nil : breaker
    if finding == .failed { answering[provider] = nil }
  }

  // MARK: Moving

  /// Shows another provider if these reports are a reason to.
  ///
  /// - Parameters:
  ///   - reports: Those of the refresh until now.
  ///   - new: Those of the last round, of which a refusal to return is told.
  mutating func move(after reports: [Report], new: [Report], at now: Duration) -> [Move] {
    look(at: now)
    defer { keepLook(at: now) }
    let before = (preferred: preferred, shown: shown)
    var refusals: [Move] = []
    for report in new where before.preferred.contains(report.provider) {
      guard isReady(report) else {
        answering[report.provider] = nil
        refusals += [refusal(of: report)].compactMap(\.self)
        continue
      }
      switch rules.returning {
      case .byHand: continue
      case .atOnce: return [show(report.provider, .returned, .answered)]
      case .afterRest(let rest):
        let known = answering[report.provider].flatMap { $0 <= now ? $0 : nil }
        answering[report.provider] = known ?? now
        if now - (known ?? now) >= rest { return [show(report.provider, .returned, .rested)] }
        if known == nil {
          refusals.append(
            Move(.refused, from: shown, to: report.provider, because: .resting))
        }
      }
    }
    guard !isReady(reports) else { return refusals }
    let ready = reports.filter(isReady).map(\.provider)
    guard let next = successors(besides: []).first(where: ready.contains) else { return refusals }
    let failed = reports.first { $0.provider == before.shown }
    var move = show(next, .fellThrough, isOpen(before.shown) ? .failures : .nothingToShow)
    move.code = failed?.code
    return refusals.filter { $0.to != next } + [move]
  }

  private func refusal(of report: Report) -> Move? {
    // What says neither, such as a pause, is told only if it was a probe.
    guard report.code != nil || isOpen(report.provider) else { return nil }
    return Move(
      .refused, from: shown, to: report.provider,
      because: report.code == nil ? .unanswered : .failures, report.code)
  }

  private mutating func show(
    _ provider: ProviderID, _ kind: Move.Kind, _ reason: Move.Reason
  ) -> Move {
    let move = Move(kind, from: shown, to: provider, because: reason)
    shown = provider
    answering[provider] = nil
    return move
  }

  // MARK: By hand

  /// What a return by hand begins with.
  enum HandReturn: Hashable, Sendable {
    /// The first choice is shown already.
    case isShown
    /// Ask the first choice.
    case ask(ProviderID)
    case refused(Move, retryAfter: Duration?)
  }

  mutating func returnByHand(at now: Duration) -> HandReturn {
    guard let first = candidates.first, first != shown else { return .isShown }
    look(at: now)
    if admit(first, at: now) { return .ask(first) }
    var refusal = Move(.refused, from: shown, to: first, because: .probing)
    guard case .coolingDown(let rest) = phase(of: first, at: now) else {
      return .refused(refusal, retryAfter: nil)
    }
    refusal.reason = .coolingDown
    return .refused(refusal, retryAfter: rest)
  }

  /// Returns to the provider if it is ready.
  mutating func moveByHand(after report: Report) -> Move {
    guard !isReady(report) else { return show(report.provider, .returned, .byHand) }
    return Move(
      .refused, from: shown, to: report.provider,
      because: report.code == nil ? .unanswered : .failures, report.code)
  }

  // MARK: Starts of the machine

  /// Finds out whether the machine was started again since the last look. Then breakers that are open are
  /// due, and a provider has answered for as long as it had until then.
  private mutating func look(at now: Duration) {
    defer { keepLook(at: now) }
    guard let seenAt, now < seenAt else { return }
    self.seenAt = nil
    for provider in breakers.keys { breakers[provider]?.noteStart() }
    breakers = breakers.filter { $0.value != Breaker() }
    for provider in answering.keys { answering[provider]? -= seenAt }
  }

  private mutating func keepLook(at now: Duration) {
    let isCounting = !breakers.isEmpty || !answering.isEmpty
    let isKept = seenAt.map { now - $0 < Self.granularity } ?? false
    if !isCounting { seenAt = nil } else if !isKept { seenAt = now }
  }

  /// Looks within this time are one, so that few of them are stored.
  private static let granularity = Duration.seconds(300)

  // MARK: Parts

  private func breaker(of provider: ProviderID) -> Breaker { breakers[provider] ?? Breaker() }

  private mutating func admit(_ provider: ProviderID, at now: Duration) -> Bool {
    var breaker = breaker(of: provider)
    guard breaker.admit(at: now, under: rules) else { return false }
    if !breaker.isClosed { breakers[provider] = breaker }
    return true
  }

  private mutating func admitted(_ providers: [ProviderID], at now: Duration) -> ProviderID? {
    providers.first { admit($0, at: now) }
  }

  /// The candidates before the shown one.
  private var preferred: [ProviderID] { Array(candidates.prefix { $0 != shown }) }

  /// The candidates that may take over from the shown one. One that is preferred may too, unless the
  /// route returns only by hand.
  private func successors(besides asked: [ProviderID]) -> [ProviderID] {
    let able =
      rules.returning == .byHand ? candidates.drop { $0 != shown } : candidates[...]
    return able.filter { $0 != shown && !asked.contains($0) }
  }

  /// Whether the shown provider goes on, by the reports of a refresh. It does as long as requests go to
  /// it and it has something to show.
  private func isReady(_ reports: [Report]) -> Bool {
    let own = reports.first { $0.provider == shown }
    return !isOpen(shown) && own?.hasNothing != true
  }

  private func isReady(_ report: Report) -> Bool { report.isHeard && !isOpen(report.provider) }
}

extension FailOverState {
  /// A change of the shown provider, or a refusal to return.
  struct Move: Hashable, Sendable {
    var kind: Kind
    var from: ProviderID
    var to: ProviderID
    var reason: Reason
    /// The code of the failure that is the reason.
    var code: EngagementError.Code?

    init(
      _ kind: Kind, from: ProviderID, to: ProviderID, because reason: Reason,
      _ code: EngagementError.Code? = nil
    ) {
      self.kind = kind
      self.from = from
      self.to = to
      self.reason = reason
      self.code = code
    }

    enum Kind: String, Hashable, Sendable {
      case fellThrough, returned, refused
    }

    enum Reason: String, Hashable, Sendable {
      /// It failed so often that it is not asked any more, or it failed when it was tried.
      case failures
      /// It failed, and the cache has nothing of it.
      case nothingToShow
      /// The preferred provider answers.
      case answered
      /// The preferred provider has answered for long enough.
      case rested
      /// The preferred provider has not answered for long enough yet.
      case resting
      /// The application asked for it.
      case byHand
      /// It was asked and its answer says neither that it is ready nor that it is not.
      case unanswered
      case coolingDown
      /// Another request tries it.
      case probing
    }
  }
}
