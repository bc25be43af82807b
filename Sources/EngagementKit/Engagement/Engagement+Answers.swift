public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// Submits what a user entered in a card, by one of its buttons; see `perform(_:on:)`.
  ///
  /// Throws `invalidArgument` for a form with `faults`, before anything is accepted.
  @discardableResult public func submit(
    _ form: CardForm, by button: CardButton, on card: Card
  ) async throws(EngagementError) -> Receipt {
    try await perform(try form.submission(by: button), on: card)
  }

  /// Hides a card until a time that a user picked; see `perform(_:on:)`.
  ///
  /// Throws `invalidArgument` for a time that is past or after the card's end. A card's own snooze buttons
  /// have a length instead, and may go beyond its end: perform `ItemAction.snooze(seconds:)` for them.
  @discardableResult public func snooze(
    _ card: Card, until time: Date
  ) async throws(EngagementError) -> Receipt {
    let seconds = time.timeIntervalSince(dependencies.clock.now).rounded(.up)
    guard seconds > 0, let count = Int(exactly: seconds) else {
      throw EngagementError(
        .invalidArgument, "The time until which the card is snoozed is past.", operation: "snooze")
    }
    if let end = card.expiresAt, time > end {
      throw EngagementError(
        .invalidArgument, "The card ends before that time; pick an earlier one.",
        operation: "snooze")
    }
    return try await perform(.snooze(seconds: count), on: card)
  }
}
