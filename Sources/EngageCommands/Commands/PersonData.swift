import EngagementKit
import EngagementModel

extension Command {
  private static let user = Argument(
    name: "USER", help: "the application's id of the person; else who is signed in",
    isOptional: true)
  private static let confirmation = Option("yes", "do it; nothing brings it back")

  static let erasePerson = Command(
    name: ["person", "erase"], summary: "take away everything that is held here about a person",
    discussion: """
      The person is signed out first, dropping what waits. What vendors hold is theirs to erase.
      """,
    arguments: [user], options: [confirmation],
    examples: [Example("engage person erase u-1 --yes", "none of u-1 is in any file after it")],
    isInterruptible: true,
    run: { invocation in
      guard invocation.has(confirmation) else {
        throw invocation.usage("Erasing cannot be undone; say --yes.")
      }
      let configuration = try invocation.configuration()
      let named = invocation.optionalArgument().map { User(UserID($0)) }
      let (user, report) = try await invocation.delivering(configuration) { engagement in
        let user = named ?? engagement.user
        return (user, try await engagement.erase(user))
      }
      let name = user.id?.text ?? "anonymous"
      try invocation.console.line(
        "\(name, .bold) is erased here; \(report.wiped) actions were dropped.")
      try invocation.console.object([
        "user": .string(name), "wiped": .integer(Int64(report.wiped)),
      ])
      return .done
    })

  static let exportPerson = Command(
    name: ["person", "export"], summary: "print everything that is held here about a person",
    discussion: "One JSON object a line, each with its kind; no secret is among them.",
    arguments: [user],
    examples: [Example("engage person export u-1 > u-1.ndjson", "for the person to keep")],
    run: { invocation in
      let configuration = try invocation.configuration()
      let named = invocation.optionalArgument().map { User(UserID($0)) }
      let objects = try await invocation.reading(configuration) { engagement in
        try await engagement.export(of: named ?? engagement.user)
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
