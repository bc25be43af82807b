import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// Gives values to the runtime variables of a card, by their names. Variables that are left out take
  /// their defaults.
  public typealias CardVariableSource = @Sendable (Card) async -> [String: String]

  /// How a feed fills the runtime variables of its cards.
  public struct VariableOptions: Hashable, Sendable {
    /// How long the application may take to give the values; a card then shows the defaults.
    public var timeout: Duration
    /// Whether vendors that want to know it are told the values.
    public var isReported: Bool

    public init(timeout: Duration = .seconds(5), isReported: Bool = true) {
      self.timeout = timeout
      self.isReported = isReported
    }
  }
}

/// Asks the application for values of runtime variables: once for each version of a card, for all feeds.
/// The values are in memory alone, for one stay of one user.
final class CardVariables: Sendable {
  typealias Values = [String: String]

  private struct State {
    var source: Engagement.CardVariableSource?
    var generation = 0
    var questions: [ItemID: Question] = [:]
  }

  private let state = Locked(State())
  private let dependencies: KitDependencies
  /// Is told the values that are to be reported, and in which user's stay they were asked for.
  private let report: @Sendable (Card, Values, _ generation: Int) -> Void

  init(
    _ dependencies: KitDependencies,
    report: @escaping @Sendable (Card, Values, _ generation: Int) -> Void
  ) {
    self.dependencies = dependencies
    self.report = report
  }

  func setSource(_ source: Engagement.CardVariableSource?) {
    state.withLock { state in
      state.source = source
      state.questions = [:]
    }
  }

  /// Forgets every answer, so that the application is asked again.
  func forget() { state.withLock { $0.questions = [:] } }

  /// The cards with their variables filled, as soon as the application has answered or the time is up.
  func filled(_ cards: [Card], _ options: Engagement.VariableOptions) async -> [Card] {
    let open = cards.filter { !$0.runtimeVariables.isEmpty }
    guard !open.isEmpty else { return cards }
    let end = dependencies.clock.uptime + options.timeout
    let generation = dependencies.currentUser.userSession.generation
    let questions = questions(about: open, in: generation)
    var values: [ItemID: Values] = [:]
    for (card, question) in zip(open, questions) {
      guard let question else { continue }
      values[card.id] = await question.wait(until: end, by: dependencies.clock)
      if options.isReported, let answer = question.takeReport() {
        report(card, answer, generation)
      }
    }
    return filled(cards, with: values)
  }

  /// The cards with the values that are there, and defaults for the rest.
  func filledWithKnown(_ cards: [Card]) -> [Card] {
    let generation = dependencies.currentUser.userSession.generation
    let known = state.withLock { $0.generation == generation ? $0.questions : [:] }
    return filled(cards, with: known.compactMapValues(\.answer))
  }

  private func filled(_ cards: [Card], with values: [ItemID: Values]) -> [Card] {
    cards.map { card in
      card.runtimeVariables.isEmpty ? card : card.filled(with: values[card.id] ?? [:])
    }
  }

  /// Asks about each of the cards, or joins those who wait for the same answer. Nil without a source.
  private func questions(about cards: [Card], in generation: Int) -> [Question?] {
    let (questions, new) = state.withLock { state in
      if state.generation != generation {
        (state.generation, state.questions) = (generation, [:])
      }
      guard let source = state.source else { return ([Question?](), [Question]()) }
      var new: [Question] = []
      let questions: [Question?] = cards.map { card in
        if let known = state.questions[card.id], known.card == card {
          known.join()
          return known
        }
        let question = Question(card, source)
        state.questions[card.id] = question
        new.append(question)
        return question
      }
      return (questions, new)
    }
    // Outside the lock: the application may call back at once.
    for question in new { question.ask() }
    return questions.isEmpty ? cards.map { _ in nil } : questions
  }
}

/// One question to the application about one card.
private final class Question: Sendable {
  let card: Card
  private let source: Engagement.CardVariableSource
  private let state = Locked(State())
  private let answered = AsyncSignal()

  private struct State {
    var answer: CardVariables.Values?
    var waiterCount = 1
    /// Whether the time of everyone who waited is up. An answer is not used any more.
    var isGivenUp = false
    var isReported = false
  }

  init(_ card: Card, _ source: @escaping Engagement.CardVariableSource) {
    self.card = card
    self.source = source
  }

  var answer: CardVariables.Values? { state.withLock(\.answer) }

  func ask() {
    Task {
      let values = await source(card)
      let isNew = state.withLock { state in
        guard !state.isGivenUp else { return false }
        state.answer = values
        return true
      }
      if isNew { answered.fire() }
    }
  }

  /// Adds a waiter. A question that was given up stays so until the card changes or the application asks
  /// for it.
  func join() { state.withLock { $0.waiterCount += 1 } }

  /// The answer; nil if it did not come in time.
  func wait(
    until end: Duration, by clock: any EngagementClock
  ) async -> CardVariables.Values? {
    if state.withLock({ $0.answer == nil && !$0.isGivenUp }) {
      await answered.wait(after: 0, until: end, by: clock)
    }
    return state.withLock { state in
      state.waiterCount -= 1
      if state.answer == nil, state.waiterCount == 0 { state.isGivenUp = true }
      return state.answer
    }
  }

  /// The answer, once.
  func takeReport() -> CardVariables.Values? {
    state.withLock { state in
      guard let answer = state.answer, !state.isReported else { return nil }
      state.isReported = true
      return answer
    }
  }
}
