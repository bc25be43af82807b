import EngagementModel

extension Invocation {
  /// Asks before what cannot be undone, unless the option confirms it. Without a terminal the option
  /// is needed.
  func confirm(_ warning: String, by option: Option) throws {
    guard !has(option) else { return }
    guard let ask = context.confirmation else { throw usage("\(warning); say --yes.") }
    guard ask("\(warning). Go on? [y/N] ") else {
      throw EngagementError(.cancelled, "Nothing was done.")
    }
  }
}
