import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension Command {
  /// `engage outbox`.
  static let outbox = [listOutbox, retryOutbox, dropOutbox]

  private static let provider = Option(
    "provider", value: "NAME",
    "the user's actions for this provider, also one that left engage.json")
  private static let confirmation = Option("yes", letter: "y", "do not ask")

  private static let listOutbox = Command(
    name: ["outbox", "list"], summary: "list the actions that are still to be sent",
    discussion: """
      Only the signed-in user's: those of others wait until they are signed in. Beside what the
      user did are engage's own: session.start and session.end, person.associate (who the user is),
      vendor.release (this device is given up), and reports that a vendor wants, such as
      provider.failed. TRIES counts attempts, also those that ended before anything was sent.
      """,
    examples: [
      Example("engage outbox", "the actions of the signed-in user"),
      Example("engage outbox --json", "one object for each action"),
    ], isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let (user, actions, pauses) = try await invocation.reading(configuration) { engagement in
        (engagement.user, try await engagement.pendingActions(), try await engagement.pauses)
      }
      try print(actions, of: user, configuration, pauses, on: invocation.console)
      return .done
    })

  private static func print(
    _ actions: [Engagement.PendingAction], of user: User, _ configuration: EngageConfiguration,
    _ pauses: [ProviderID: Date], on console: Console
  ) throws(OutputError) {
    let known = Set(configuration.providers.map(\.id))
    var table = Table([
      .init("ID", .trailing), .init("PROVIDER"), .init("ACTION"), .init("ITEM", isFlexible: true),
      .init("SINCE"), .init("TRIES", .trailing),
    ])
    let ids = ShortIDs(actions.compactMap(\.item))
    for action in actions {
      let since = ISO8601.text(of: action.acceptedAt) ?? ""
      table.add([
        "\(action.id)", Phrase(action.provider.rawValue, .bold), Phrase(action.title),
        Phrase(action.item.map(ids.text) ?? ""), Phrase(since), "\(action.attempts)",
      ])
      var object: JSONObject = [
        "id": .integer(action.id), "provider": .string(action.provider.rawValue),
        "isConfigured": .bool(known.contains(action.provider)), "action": .string(action.name),
        "acceptedAt": .string(since), "attempts": .integer(Int64(action.attempts)),
      ]
      object["item"] = action.item.map { .object($0.object(with: [:])) }
      try console.object(object)
    }
    guard !actions.isEmpty else {
      return console.note("Nothing is to be sent for \(user.id?.rawValue ?? "the anonymous user").")
    }
    try console.table(table)
    for id in Set(actions.map(\.provider)).subtracting(known).sorted() {
      console.note(
        "engage.json has no provider \"\(id.rawValue)\": put it back, or drop its actions.")
    }
    for (id, date) in pauses.sorted(by: { $0.key < $1.key }) {
      console.note(id.pausedText(until: date))
    }
  }

  private static let retryOutbox = Command(
    name: ["outbox", "retry"], summary: "send the pending actions now",
    discussion: """
      Waits for nothing: not until a pause is over that a vendor has asked for, and not for the next
      try of an action that failed. The status is 1 if actions are still pending.
      """,
    examples: [Example("engage outbox retry", "everything that waits")], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let (report, failures) = try await invocation.delivering(configuration) { engagement in
        try await engagement.endPauses()
        let report = try await engagement.flush(within: invocation.context.patience)
        return (report, engagement.deliveryFailures)
      }
      var table = Table([
        .init("PROVIDER"), .init("DELIVERED", .trailing), .init("KEPT HERE", .trailing),
        .init("REJECTED", .trailing), .init("WAITING", .trailing),
      ])
      for (id, result) in report.providers.sorted(by: { $0.key < $1.key }) {
        table.add([
          Phrase(id.rawValue, .bold), "\(result.delivered)", "\(result.kept)",
          "\(result.rejected)", "\(result.pending)",
        ])
        try invocation.console.object([
          "provider": .string(id.rawValue), "delivered": .integer(Int64(result.delivered)),
          "kept": .integer(Int64(result.kept)), "rejected": .integer(Int64(result.rejected)),
          "pending": .integer(Int64(result.pending)),
        ])
      }
      try invocation.console.table(table)
      for (id, failure) in failures.sorted(by: { $0.key < $1.key })
      where report.providers[id]?.pending ?? 0 > 0 {
        invocation.console.failure(invocation.credentials.explained(failure, at: id))
      }
      return report.isComplete ? .done : .failed
    })

  private static let dropOutbox = Command(
    name: ["outbox", "drop"], summary: "drop actions that are still to be sent",
    discussion: """
      A dropped action never reaches its vendor. It asks first; without a terminal it needs --yes.
      A note names a vendor that keeps the push token since the request is dropped that takes it back.
      """,
    arguments: [
      Argument(name: "ID", help: "an action of \"engage outbox\"", isOptional: true, repeats: true)
    ],
    options: [provider, confirmation],
    examples: [
      Example("engage outbox drop 17 --yes", "one action"),
      Example("engage outbox drop --provider old --yes", "all actions for a provider"),
    ],
    run: { invocation in
      let configuration = try invocation.configuration()
      let ids = try invocation.arguments(from: 0).map { text in
        guard let id = Int64(text) else {
          throw invocation.usage("\"\(text)\" is no id of an action; see \"engage outbox\".")
        }
        return id
      }
      let name = invocation.value(provider)
      guard ids.isEmpty != (name == nil) else {
        throw invocation.usage("Give ids of actions, or --provider.")
      }
      let known = configuration.providers.map(\.id.rawValue)
      let count = try await invocation.reading(configuration) { engagement in
        let actions = try await engagement.pendingActions()
          .filter { $0.provider.rawValue == name || ids.contains($0.id) }
        for id in ids where !actions.contains(where: { $0.id == id }) {
          throw EngagementError(.notFound, "No action \(id) is to be sent; see \"engage outbox\".")
        }
        if let name, actions.isEmpty, !known.contains(name) {
          throw EngagementError(
            .notFound,
            "No action is to be sent to a provider \"\(name)\""
              + NearestName.hint(for: name, among: known))
        }
        for id in Set(actions.filter(\.takesPushTokenBack).map(\.provider)).sorted() {
          invocation.console.note(
            """
            \(id.rawValue) has the push token, and is not asked to give it back once this is dropped: \
            it may still push. "engage push status" says who has it.
            """)
        }
        try invocation.confirm("Dropped actions cannot be sent any more", by: confirmation)
        return try await engagement.discard(actions.map(\.id))
      }
      try invocation.console.line("\(count == 1 ? "1 action is" : "\(count) actions are") dropped.")
      try invocation.console.object(["wiped": .integer(Int64(count))])
      return .done
    })
}

extension Engagement.PendingAction {
  /// The name, with the kind of an event that has a name of its own, such as `custom bought`.
  fileprivate var title: String {
    guard let kind, kind.rawValue != name else { return name }
    return "\(kind.rawValue) \(name)"
  }
}
