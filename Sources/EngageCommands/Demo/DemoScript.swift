import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors

/// What happens in the demonstration, in order.
struct DemoScript: Sendable {
  private let engagement: Engagement
  private let emulator: Emulator
  private let context: CommandContext
  private let console: Console
  private let credentials: Engagement.CredentialSource

  /// Everything that is done is counted, and the vendors are asked for the same number.
  private struct PerformedAction {
    var action: ItemAction
    var id: ItemID
    var receipt: Engagement.Receipt
  }

  init(
    _ engagement: Engagement, _ emulator: Emulator, _ invocation: Invocation,
    credentials: @escaping Engagement.CredentialSource
  ) {
    self.engagement = engagement
    self.emulator = emulator
    self.credentials = credentials
    context = invocation.context
    console = invocation.console
  }

  func tell(_ vendors: [VendorRegistration]) async throws -> ExitStatus {
    engagement.setPresentationMode(.suspended)
    try introduce(vendors.map(\.name))
    try await engagement.signIn(
      User(VendorRegistration.starterUser), consent: .full, credentials: credentials)
    engagement.setScenePhase(.active)
    try await fetch("The feed is fetched")
    try show()
    try await fetch("The inbox is fetched", .inbox)
    try InboxTable.tell(engagement.inbox, on: console)
    let first =
      try await act([.impression, .click, .dismiss], "With the network there")
      + (try await act(Self.answers, "With the network there"))
      + (try await act([.open, .read]))
    let firstEnds = try await conclude(first)
    try await present(vendors.compactMap(\.examples.event))
    await emulator.setOffline(true)
    try await fetch("The network is gone, the feed is not")
    let second = try await act([.dismiss], "Accepted without the network")
    try show()
    await emulator.setOffline(false)
    try step("online", "The network is back.")
    // What was tried without the network is tried again after a pause.
    let ends = firstEnds + (try await conclude(second, within: context.patience * 3))
    return try await report(ends)
  }

  /// What a user answers to a card that asks for it.
  private static let answers: [ItemAction] = [
    .submit(button: nil, values: [:]), .snooze(seconds: 3_600),
    .vote(useful: true, reason: nil, message: nil),
  ]

  // MARK: Telling

  private func step(
    _ name: String, _ phrase: Phrase, _ members: JSONObject = [:]
  ) throws(OutputError) {
    try console.line()
    try console.line(phrase)
    try console.object(
      JSONObject(uniqueMembers: [JSONObject.Member("step", .string(name))] + members.members))
  }

  private func introduce(_ vendors: [String]) throws(OutputError) {
    let places = vendors.map { "\($0) at \(emulator.endpoint(of: $0))" }.joined(separator: ", ")
    try step(
      "vendors", "On this machine: \(places).",
      ["vendors": .array(vendors.map(JSON.string))])
  }

  private func show() throws(OutputError) {
    let feed = engagement.cards(in: "home")
    try console.table(CardTable.table(of: feed.cards))
    try console.object([
      "step": "feed", "cards": .integer(Int64(feed.cards.count)),
      "new": .integer(Int64(feed.unreadCount)),
      "ids": .array(feed.cards.map { .string($0.id.description) }),
    ])
  }

  // MARK: Doing

  private func fetch(_ what: String, _ target: Engagement.RefreshTarget = .cards(in: "home"))
    async throws
  {
    let outcome = await engagement.refresh(target)
    try Task.checkCancellation()
    for (provider, outcome) in outcome.providers.sorted(by: { $0.key < $1.key }) {
      let told = outcome.told
      if told.word == "unsupported" { continue }
      try step(
        "sync", "\(what): \(provider) is \(told.name, told.style).",
        ["provider": .string(provider.rawValue), "outcome": .string(told.word)])
    }
  }

  /// Records events that make campaigns due, and draws their templates.
  private func present(_ events: [VendorRegistration.Event]) async throws {
    guard !events.isEmpty else { return }
    try await fetch("The campaigns are fetched", .campaigns)
    for event in events {
      try await engagement.track(event.name, event.properties)
      try step(
        "campaign", "\(event.name, .bold) makes a campaign due, and its template is drawn:",
        ["event": .string(event.name)])
    }
    engagement.setPresentationMode(.running)
    try await engagement.presentDueTemplates(within: context.patience)
    engagement.setPresentationMode(.suspended)
  }

  /// Does each to a card that nothing was done to yet.
  private func act(_ actions: [ItemAction], _ when: String) async throws -> [PerformedAction] {
    var deeds: [PerformedAction] = []
    for action in actions {
      let cards = engagement.cards(in: "home").cards
      guard let card = cards.first(where: { $0.takes(action) }) else { continue }
      deeds.append(try await act(card.filling(action), on: card.id, card.title, when))
    }
    return deeds
  }

  /// Does each to the newest message that was not read yet.
  private func act(_ actions: [ItemAction]) async throws -> [PerformedAction] {
    guard let message = engagement.inbox.messages.first(where: { !$0.isRead }) else { return [] }
    var deeds: [PerformedAction] = []
    for action in actions {
      deeds.append(try await act(action, on: message.id, message.subject, "In the inbox"))
    }
    return deeds
  }

  private func act(
    _ action: ItemAction, on id: ItemID, _ title: String?, _ when: String
  ) async throws -> PerformedAction {
    let receipt = try await engagement.perform(action, on: id)
    try step(
      "action", "\(when): \(action.name, .bold) \(title ?? id.value).",
      id.object(with: ["action": .string(action.name)]))
    return PerformedAction(action: action, id: id, receipt: receipt)
  }

  private func conclude(
    _ deeds: [PerformedAction], within limit: Duration? = nil
  ) async throws -> [ActionOutcome] {
    var ends: [ActionOutcome] = []
    for deed in deeds {
      let outcome = try await deed.receipt.outcome(within: limit ?? context.patience)
      let end = ActionOutcome(outcome)
      ends.append(end)
      let members = deed.id.object(
        with: ["step": "delivery", "action": .string(deed.action.name)])
      try console.line("  \(deed.action.name): \(end.phrase)")
      try console.object(
        JSONObject(uniqueMembers: members.members + end.members.members))
    }
    return ends
  }

  // MARK: The end

  private func report(_ ends: [ActionOutcome]) async throws -> ExitStatus {
    var table = Table([
      .init("VENDOR"), .init("REQUEST", .trailing), .init("EFFECT"),
      .init("ABOUT", isFlexible: true),
    ])
    try step("record", "What the vendors themselves say reached them:")
    for request in await emulator.requests() {
      for effect in request.effects {
        table.add([
          Phrase(request.vendor), "\(request.number)", Phrase(effect.name, .bold),
          Phrase(effect.subject),
        ])
        try console.object([
          "step": "received", "vendor": .string(request.vendor),
          "request": .integer(Int64(request.number)), "effect": .string(effect.name),
          "subject": .string(effect.subject),
        ])
      }
    }
    try console.table(table)
    let delivered = ends.count { $0 == .delivered }
    try step(
      "end", "\(delivered) of \(ends.count) actions were delivered; \(left(ends)).",
      ["accepted": .integer(Int64(ends.count)), "delivered": .integer(Int64(delivered))])
    return delivered == ends.count ? .done : .failed
  }

  private func left(_ ends: [ActionOutcome]) -> String {
    let open = ends.count { $0 != .delivered }
    return open == 0 ? "none is left" : "\(open) are left"
  }
}

extension Card {
  /// Whether the demo may do this to it.
  fileprivate func takes(_ action: ItemAction) -> Bool {
    switch action {
    case .dismiss: self.actions.canDismiss
    case .click: self.url != nil && !self.isClicked
    case .impression: !self.isViewed
    case .submit: submission != nil
    case .snooze: self.actions.canSnooze
    case .vote: self.actions.canVoteUp
    case .open, .read, .expire, .delete: false
    }
  }

  /// The submission of the card's first button that has one.
  private var submission: ItemAction? {
    for button in self.buttons {
      guard case .submit(let name, let values) = button.action else { continue }
      return .submit(button: name ?? button.text, values: values)
    }
    return nil
  }

  /// A submission with what the card's button says; any other action as it is.
  fileprivate func filling(_ action: ItemAction) -> ItemAction {
    guard case .submit = action else { return action }
    return submission ?? action
  }
}
