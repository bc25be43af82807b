import EngagementAdapterAPI
import EngagementModel

extension AdapterSubject {
  /// The id of the item that `LawScenario.furnish` puts in each feed.
  static let itemID = "item-1"

  /// An operation for each verb that is sent as a request of its own, without actions on items, in
  /// an order in which a vendor can execute all of them.
  var examples: [Operation] {
    let own = Set(operations.map(\.verb))
    let all = Self.known.filter { !own.contains($0.verb) } + operations + Self.endings
    return all.filter { travels($0) }
  }

  /// The declared verbs without an example or sample. A file has none: only a card's own form asks for
  /// one.
  var uncovered: [Operation.Verb] {
    let covered = Set(
      examples.map(\.verb) + actions.map(\.verb) + items.map(\.listing.verb) + [.upload])
    return capabilities.abilities.filter { $0.value.travel == .request }.map(\.key)
      .filter { !covered.contains($0) }.sorted()
  }

  /// Every action of every feed's samples.
  var actions: [(samples: ItemSamples, action: ItemAction, verb: Operation.Verb)] {
    items.flatMap { samples in
      samples.actions.map { action in
        let verb = Operation.Verb.act(action.name, on: samples.feed.surface)
        return (samples: samples, action: action, verb: verb)
      }
    }
  }

  private func travels(_ operation: Operation) -> Bool {
    capabilities.ability(operation.verb).travel == .request
  }

  private static var endings: [Operation] { [.unregisterPush(.production), .device(.unregister)] }

  private static var known: [Operation] {
    [
      .settings, .device(.register), .device(.renew), .device(.update), .associate("canary-ada"),
      .registerPush(.production), .person, .updatePerson(update), .message(itemID), .metrics,
      .optOut(false), .templates([]),
      .events([
        EngagementEvent(
          id: "01a7c0de-0000-7000-8000-000000000001", kind: .custom, time: TestClock().now,
          name: "bought", properties: ["size": "m"])
      ]),
    ]
  }

  private static var update: PersonUpdate {
    var update = PersonUpdate()
    update.email = "ada@example.com"
    update.custom = ["plan": "gold"]
    return update
  }

  /// An operation of every kind, to find undeclared verbs.
  static var anything: [Operation] {
    let card = ItemReference(ItemID(provider, "c-1"), on: .cards, in: "home")
    let message = ItemReference(ItemID(provider, "m-1"), on: .inbox)
    let actions: [ItemAction] = [
      .impression, .click, .open, .read, .dismiss, .submit(button: "b", values: ["a": true]),
      .snooze(seconds: 60), .vote(useful: false, reason: .other, message: "m"), .expire(at: nil),
      .delete,
    ]
    return known
      + [
        .device(.unregister), .unregisterPush(.sandbox), .cards(in: nil, matching: []),
        .cards(in: "home", matching: []), .inbox, .campaigns, .vendor("unheard-of", ["a": 1]),
        .upload(
          .init(
            fileName: "a", contentType: "image/png", digest: "00", byteCount: 1, item: card,
            submission: OperationKey(1, 2))),
      ] + actions.flatMap { [.act($0, on: card), .act($0, on: message)] }
  }
}

extension LawScenario {
  /// Puts one small item in each feed of the user, and lists the feeds.
  func furnish() async throws {
    await putOneItem()
    try await settle()
  }

  /// Puts one small item in each feed of the user.
  func putOneItem() async {
    for samples in subject.items {
      await server.put(
        [samples.item(AdapterSubject.itemID, 0)], in: samples.feed, for: LawScenario.user)
    }
  }
}
