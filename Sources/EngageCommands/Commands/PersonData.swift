import EngagementKit
import EngagementModel

extension Command {
  private static let user = Argument(
    name: "USER", help: "the application's id of the person; default: the signed-in user",
    isOptional: true)
  private static let confirmation = Option("yes", "confirm; this cannot be undone")

  static let erasePerson = Command(
    name: ["person", "erase"], summary: "erase all local data about a person",
    discussion: """
      The person is signed out first, and pending actions are dropped. Data at vendors stays, and so
      does what was exported: delete the person's events there, and what a killed export left.
      Afterwards engage.json signs no user in; run "engage signin" for that. The status is 1 if a
      vendor was not told of the sign-out and may still push to this installation.
      """,
    arguments: [user], options: [confirmation],
    examples: [Example("engage person erase u-1 --yes", "afterwards no file has data about u-1")],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let typed = invocation.optionalArgument()
      try invocation.confirm(
        "Erasing \(typed ?? "the signed-in user") cannot be undone", by: confirmation)
      let named = typed.map { User(UserID($0)) }
      let automatic = AutomaticSignIn(besideCacheAt: configuration.cache)
      let (user, report) = try await invocation.delivering(configuration) { engagement in
        let user = named ?? engagement.user
        // First: after a kill, the next command must not sign in whom this one has erased. A person
        // who is not here changes nothing.
        if try invocation.reader(of: configuration).knows(user) { try automatic.turnOff() }
        do {
          let report = try await engagement.eraseData(of: user)
          try automatic.turnOff()
          return (user, report)
        } catch {
          if (error as? EngagementError)?.code != .notFound {
            let id = user.id.map { " \($0.rawValue)" } ?? ""
            invocation.console.note(
              "The erasure is not complete. Run \"engage person erase\(id) --yes\" again.")
          }
          throw error
        }
      }
      // What it says of a file that is gone now.
      RecoveryNotice(besideCacheAt: configuration.cache).remove()
      let name = user.id?.rawValue ?? "anonymous"
      if report.isKnown {
        try invocation.console.line(
          """
          \(name, .bold) is erased here; \
          \(report.discarded == 1 ? "1 action was" : "\(report.discarded) actions were") dropped.
          """)
      } else {
        try invocation.console.line(
          """
          Nothing is held about \(name, .bold) any more. An interrupted erasure is complete, and no \
          damaged cache is left.
          """)
      }
      let pushing = report.mayStillPush.sorted()
      for provider in pushing {
        invocation.console.note(
          """
          \(provider.rawValue) may still push to this installation: it was not told of the sign-out.
          """)
      }
      try invocation.console.object([
        "user": .string(name), "wiped": .integer(Int64(report.discarded)),
        "mayStillPush": .array(pushing.map { .string($0.rawValue) }),
      ])
      return pushing.isEmpty ? .done : .failed
    })

  static let exportPerson = Command(
    name: ["person", "export"], summary: "print all local data about a person",
    discussion: "One JSON object a line; \"record\" says what it is. Secrets are left out.",
    arguments: [user],
    examples: [Example("engage person export u-1 > u-1.ndjson", "save it to a file")],
    run: { invocation in
      let configuration = try invocation.configuration()
      let named = invocation.optionalArgument().map { User(UserID($0)) }
      let objects = try await invocation.reading(configuration) { engagement in
        try await engagement.exportData(of: named ?? engagement.user)
      }
      for object in objects {
        if invocation.console.isJSON {
          try invocation.console.object(object)
        } else {
          try invocation.console.json(object)
        }
      }
      return .done
    })
}
