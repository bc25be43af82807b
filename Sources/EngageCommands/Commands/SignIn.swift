import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static let signIn = Command(
    name: ["signin"], summary: "sign in a user",
    discussion: """
      The former user's actions are sent first; the rest wait until that user signs in again. Run
      "engage sync" to fetch the new user's feed. The user stays signed in until "engage signout".

      Before its first command a new cache signs in the "user" of engage.json, also if that command signs
      in another: then both are recorded, and an experiment counts both. Leave "user" out of engage.json
      where people are signed in by name.
      """,
    arguments: [Argument(name: "USER", help: "the application's id of the person")],
    examples: [Example("engage signin u-2", "sign in u-2")], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let id = UserID(try invocation.argument())
      let automatic = AutomaticSignIn(besideCacheAt: configuration.cache)
      let isAsked = try await invocation.delivering(configuration, signsIn: true) { engagement in
        let former = engagement.user
        let report = try await engagement.signIn(
          User(id), credentials: invocation.credentials.source(of: User(id), in: configuration))
        let waiting = report.providers.values.reduce(0) { $0 + $1.pending }
        if waiting > 0, let former = former.id {
          let actions = waiting == 1 ? "1 action waits" : "\(waiting) actions wait"
          invocation.console.note("\(actions) until \(former.rawValue) is signed in again.")
        }
        let pushing = report.providers.filter { $0.value.mayStillPush && $0.value.failure != nil }
        for provider in pushing.keys.sorted() {
          invocation.console.note(
            "\(provider.rawValue) could not be told to stop pushes for the former user.")
        }
        if let consent = configuration.consent, !automatic.isOff,
          try await engagement.consent == .unknown
        {
          try await engagement.setConsent(consent)
        }
        return try await engagement.consent != .unknown
      }
      for (provider, reason) in configuration.refusals(of: id) {
        invocation.console.note(
          "\(provider.rawValue) will not know this user: \(reason) Sign in with another id.")
      }
      for provider in configuration.providersWithoutCredential(of: User(id)) {
        invocation.console.note(
          "\(provider.rawValue) gets no token: the one in engage.json is the configured user's.")
      }
      if automatic.isOff, !isAsked {
        invocation.console.note(
          "What \(id) allows is not taken from engage.json; run \"engage consent set\".")
      }
      try invocation.console.line("\(id.rawValue, .bold) is signed in.")
      try invocation.console.object(["user": .string(id.rawValue)])
      return .done
    })
}

extension EngageConfiguration {
  /// The providers whose vendors would refuse the id, and why: what their adapters refuse of what a vendor
  /// is told at a sign-in.
  fileprivate func refusals(of id: UserID) -> [(provider: ProviderID, reason: String)] {
    let context = AdapterContext.withoutCache(of: User(id))
    return providers.compactMap { provider in
      let steps = provider.adapter.transition(from: .anonymous, to: User(id), in: context)
      for case .enter(let operation) in steps {
        do throws(EngagementError) {
          _ = try provider.adapter.step(for: operation, in: context)
        } catch {
          if error.code == .invalidArgument {
            return (provider: provider.id, reason: error.message)
          }
        }
      }
      return nil
    }
  }
}
