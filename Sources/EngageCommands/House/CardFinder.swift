import EngagementKit
import EngagementModel

/// Finds cards by what people type: `provider/id`, or a beginning of either that only one has.
struct CardFinder {
  let engagement: Engagement
  let configuration: EngageConfiguration

  /// The cards of every container that the configuration names, control cards too, each once.
  func all() async -> [Card] {
    var cards: [Card] = []
    var seen: Set<ItemID> = []
    let names = configuration.containerNames
    for container in names.isEmpty ? [configuration.mainContainer] : names {
      for card in await Self.cards(in: container, of: engagement)
      where seen.insert(card.id).inserted { cards.append(card) }
    }
    return cards
  }

  /// The cards of a container as they are now, control cards too.
  static func cards(in container: ContainerID, of engagement: Engagement) async -> [Card] {
    var updates = engagement.cardUpdates(in: container, options: CardOptions(includesControl: true))
      .makeAsyncIterator()
    return await updates.next()?.cards ?? []
  }

  /// The one card that is meant.
  func card(_ text: String) async throws(EngagementError) -> Card {
    try await Self.item(text, among: all(), providers: configuration.providers.map(\.id.text))
  }

  static func item(
    _ text: String, among cards: [Card], providers: [String]
  ) throws(EngagementError) -> Card {
    if let exact = cards.first(where: { $0.id.description.hasSameBytes(as: text) }) { return exact }
    let found = cards.filter { card in
      card.id.description.utf8.starts(with: text.utf8) || card.id.value.utf8.starts(with: text.utf8)
    }
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let some = found.prefix(4).map { "\"\($0.id)\"" }.joined(separator: ", ")
      throw EngagementError(
        .invalidArgument,
        "\"\(text)\" is the beginning of \(found.count) ids: \(some)"
          + (found.count > 4 ? ", …" : "") + "; type more of it.")
    }
    throw EngagementError(.notFound, "There is no card \"\(text)\"" + hint(text, cards, providers))
  }

  private static func hint(_ text: String, _ cards: [Card], _ providers: [String]) -> String {
    if let slash = text.firstIndex(of: "/"), !providers.contains(String(text[..<slash])) {
      let name = String(text[..<slash])
      return ": \"\(name)\" is no provider" + NearestName.hint(for: name, among: providers)
    }
    if let nearest = NearestName.of(text, among: cards.map(\.id.description)) {
      return "; did you mean \"\(nearest)\"?"
    }
    return cards.isEmpty
      ? "; the cache has none, run \"engage sync\"." : "; see \"engage cards list\"."
  }
}

/// The shortest beginnings that tell ids apart, for people to read and to type.
struct ShortIDs {
  private let sorted: [[UInt8]]
  /// What is typed is not worth being shorter.
  private static let shortest = 8

  init(_ ids: [ItemID]) {
    sorted = ids.map { Array($0.description.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  func text(of id: ItemID) -> String {
    let bytes = Array(id.description.utf8)
    let least = id.provider.text.utf8.count + 1 + Self.shortest
    guard let place = sorted.firstIndex(of: bytes), bytes.count > least else {
      return id.description
    }
    let neighbours = [place - 1, place + 1].filter(sorted.indices.contains).map { sorted[$0] }
    let shared = neighbours.map { zip($0, bytes).prefix { $0 == $1 }.count }.max() ?? 0
    let length = max(least, shared + 1)
    // A character is never cut.
    return String(validating: bytes.prefix(length), as: UTF8.self) ?? id.description
  }
}
