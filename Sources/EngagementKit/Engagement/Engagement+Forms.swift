public import EngagementModel

extension Engagement {
  /// Submits what a user entered in a card, by one of its buttons; see `perform(_:on:)`.
  ///
  /// Throws `invalidArgument` for a form with `faults`, before anything is accepted.
  @discardableResult public func submit(
    _ form: CardForm, by button: CardButton, on card: Card
  ) async throws(EngagementError) -> Receipt {
    try await perform(try form.submission(by: button), on: card)
  }
}
