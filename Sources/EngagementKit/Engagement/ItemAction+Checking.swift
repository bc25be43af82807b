import EngagementModel

extension ItemAction {
  /// The most characters of the message that goes with a vote.
  static let longestMessage = 280

  /// Throws `invalidArgument`, naming what is wrong, for what no vendor would take.
  func check() throws(EngagementError) {
    switch self {
    case .snooze(let seconds) where seconds < 0:
      throw invalid("An item is snoozed for 0 seconds or more.")
    case .vote(_, _, let message?, _) where message.count > Self.longestMessage:
      throw invalid("The message of a vote has at most \(Self.longestMessage) characters.")
    case .submit(let button, let values):
      if let button, button.isEmpty { throw invalid("A button's name must not be empty.") }
      for member in values.members where !member.value.isSubmittable {
        throw invalid(
          "A submitted value is a string, a finite number, a truth value, or truth values by name.")
      }
    case .impression, .click, .open, .read, .dismiss, .snooze, .vote, .expire, .delete: break
    }
  }

  private func invalid(_ message: String) -> EngagementError {
    EngagementError(.invalidArgument, message, operation: name)
  }
}
