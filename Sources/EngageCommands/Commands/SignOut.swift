import EngagementKit
import EngagementModel

extension Command {
  private static let wipe = Option("wipe", "drop what could not be delivered; else it waits")

  static let signOut = Command(
    name: ["signout"], summary: "make nobody in particular present, and say what was delivered",
    discussion: """
      The status is 1 where something was refused, is parked or was wiped, or where a vendor may
      go on pushing to this installation.
      """,
    options: [wipe],
    examples: [
      Example("engage signout", "what is left waits for the user to come back"),
      Example("engage signout --wipe", "what is left is dropped"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let leftovers: Leftovers = invocation.has(wipe) ? .wipe : .park
      let report = try await invocation.delivering(configuration) { engagement in
        let wasAnonymous = engagement.user.isAnonymous
        let report = try await engagement.signOut(leftovers: leftovers)
        return wasAnonymous ? nil : report
      }
      guard let report else {
        invocation.console.note("Nobody was signed in.")
        return .done
      }
      try print(report, on: invocation.console)
      return report.isClean ? .done : .failed
    })

  private static func print(_ report: SignOutReport, on console: Console) throws(ClosedPipe) {
    var table = Table([
      .init("PROVIDER"), .init("DELIVERED", .trailing), .init("REFUSED", .trailing),
      .init("PARKED", .trailing), .init("WIPED", .trailing), .init("MAY PUSH"),
      .init("NOTE", isFlexible: true),
    ])
    for (id, farewell) in report.providers.sorted(by: { $0.key < $1.key }) {
      table.add([
        Phrase(id.text, .bold), "\(farewell.delivered)", "\(farewell.refused)",
        "\(farewell.parked)", "\(farewell.wiped)", farewell.mayStillPush ? "yes" : "no",
        Phrase(farewell.failure?.message ?? ""),
      ])
      try console.object(farewell.members(at: id))
    }
    try console.table(table)
  }
}

extension SignOutReport.Farewell {
  fileprivate func members(at id: ProviderID) -> JSONObject {
    let members: JSONObject = [
      "provider": .string(id.text), "delivered": .integer(Int64(delivered)),
      "refused": .integer(Int64(refused)), "parked": .integer(Int64(parked)),
      "wiped": .integer(Int64(wiped)), "mayStillPush": .bool(mayStillPush),
    ]
    return failure.map(members.merging) ?? members
  }
}
