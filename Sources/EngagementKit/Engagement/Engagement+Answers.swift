public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// Submits what a user entered in a card, by one of its buttons; see `perform(_:on:)`.
  ///
  /// The form's files are sent before it; each is recorded as an event `upload` when it is accepted, when
  /// it has arrived and when it is lost. If one is lost, the submission is rejected with its reason.
  ///
  /// Throws `invalidArgument` for a form with `faults` and for a file of a type that its input does not
  /// take, `unsupported` for a file that would have to be converted without `Options.imageConverter`, and
  /// for a vendor that takes none, before anything is accepted.
  @discardableResult public func submit(
    _ form: CardForm, by button: CardButton, on card: Card
  ) async throws(EngagementError) -> Receipt {
    let action = try form.submission(by: button)
    guard !form.files.isEmpty else { return try await perform(action, on: card) }
    return try await submit(action, with: form, on: card)
  }

  /// Hides a card until a time that a user picked; see `perform(_:on:)`.
  ///
  /// Throws `invalidArgument` for a time that is past or after the card's end. A card's own snooze buttons
  /// have a period instead, which may go beyond its end; see `snooze(_:for:)`.
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

  /// Hides a card for the period of one of its snooze buttons, from now on; see `perform(_:on:)`.
  ///
  /// A month ends on the same day of the next month, by the calendar and the time zone of the device.
  @discardableResult public func snooze(
    _ card: Card, for period: CardButton.SnoozePeriod
  ) async throws(EngagementError) -> Receipt {
    guard let seconds = period.seconds(from: dependencies.clock.now) else {
      throw EngagementError(
        .invalidArgument, "The period of the snooze is too long.", operation: "snooze")
    }
    return try await perform(.snooze(seconds: seconds), on: card)
  }
}
