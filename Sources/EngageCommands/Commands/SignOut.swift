import EngagementKit
import EngagementModel

extension Command {
  private static let wipe = Option("wipe", "drop undelivered actions instead of keeping them")
  private static let purge = Option(
    "purge", "drop undelivered actions, and remove items, files and secrets of the user")

  static let signOut = Command(
    name: ["signout"], summary: "sign out and report undelivered actions",
    discussion: """
      An action that no vendor has taken waits until the user signs in again. The status is 1 if an
      action was rejected, waits or was wiped (dropped), or if a vendor may still push to this
      installation.

      What the cache has of the user stays for the next time, unless --purge is given. Then only the
      events stay, with what was typed into forms; "engage person erase" removes them, too. Caps of
      templates begin anew for a user who was purged.
      """,
    options: [wipe, purge],
    examples: [
      Example("engage signout", "undelivered actions wait until the user signs in again"),
      Example("engage signout --wipe", "undelivered actions are dropped"),
      Example("engage signout --purge", "of the user, only the events are left"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let undelivered: Engagement.UndeliveredActions = invocation.has(wipe) ? .discard : .keep
      let report = try await invocation.delivering(configuration) { engagement in
        let wasAnonymous = engagement.user.isAnonymous
        for (provider, count) in configuration.missing(in: try await engagement.pendingCounts) {
          invocation.console.note(provider.missing(with: count))
        }
        let report = try await engagement.signOut(
          undelivered: undelivered, purgesCache: invocation.has(purge))
        return wasAnonymous ? nil : report
      }
      guard let report else {
        invocation.console.note("No user was signed in.")
        if invocation.has(purge) {
          invocation.console.note("\"engage person erase USER\" removes all of one who has left.")
        }
        return .done
      }
      try print(report, on: invocation.console)
      return report.isClean ? .done : .failed
    })

  private static func print(_ report: Engagement.SignOutReport, on console: Console)
    throws(OutputError)
  {
    var table = Table([
      .init("PROVIDER"), .init("DELIVERED", .trailing), .init("REJECTED", .trailing),
      .init("WAITING", .trailing), .init("WIPED", .trailing), .init("MAY PUSH"),
      .init("NOTE", isFlexible: true),
    ])
    for (id, result) in report.providers.sorted(by: { $0.key < $1.key }) {
      table.add([
        Phrase(id.rawValue, .bold), "\(result.delivered)", "\(result.rejected)",
        "\(result.pending)", "\(result.discarded)", result.mayStillPush ? "yes" : "no",
        Phrase(result.note),
      ])
      try console.object(result.members(at: id))
    }
    try console.table(table)
  }
}

extension Engagement.SignOutReport.ProviderResult {
  fileprivate var note: String {
    if let failure, !failure.code.mayRetry { return failure.forPeople.message }
    var parts: [String] = []
    // A signed-out user cannot try again.
    if failure != nil { parts.append("it could not be told") }
    if failure == nil, mayStillPush { parts.append("it was not told to stop") }
    if pending > 0 {
      parts.append("what waits is sent when the user signs in again")
    } else if mayStillPush {
      parts.append("sign in again and run \"engage push unregister\"")
    }
    return parts.joined(separator: "; ")
  }

  fileprivate func members(at id: ProviderID) -> JSONObject {
    let members: JSONObject = [
      "provider": .string(id.rawValue), "delivered": .integer(Int64(delivered)),
      "rejected": .integer(Int64(rejected)), "pending": .integer(Int64(pending)),
      "wiped": .integer(Int64(discarded)), "mayStillPush": .bool(mayStillPush),
    ]
    return failure.map(members.merging) ?? members
  }
}
