import EngagementKit
import EngagementModel

extension Command {
  static let signIn = Command(
    name: ["signin"], summary: "make a user present",
    discussion: """
      What the former user still has to send is sent first, or waits for them. The feed of the new
      one is asked for by "engage sync". Who is signed in stays so until "engage signout".
      """,
    arguments: [Argument(name: "USER", help: "the application's id of the person")],
    examples: [Example("engage signin u-2", "from now on it is u-2")], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let id = UserID(try invocation.argument())
      let credentials = Arrival(configuration).credentials
      try await invocation.delivering(configuration) { engagement in
        try await engagement.signIn(User(id), credentials: credentials)
        if let consent = configuration.consent, try await engagement.consent == .unknown {
          try await engagement.setConsent(consent)
        }
      }
      try invocation.console.line("\(id.text, .bold) is signed in.")
      try invocation.console.object(["user": .string(id.text)])
      return .done
    })
}
