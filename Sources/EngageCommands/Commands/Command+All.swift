extension Command {
  /// Every command, in the order in which help lists them.
  static let all: [Command] =
    [demo, initialise, doctor, emulate, providers, sync] + cards + inbox + person
    + [signIn, signOut] + consent + [track] + push + [decode, events, completions]
}
