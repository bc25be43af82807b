import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementVendors

/// Finds an item by what people type: `provider/id`, or a beginning of either that only one has.
struct ItemFinder {
  /// What the item is called.
  private let noun: String
  /// The command that lists all of them.
  private let list: String
  private let providers: [String]

  init(noun: String, list: String, _ configuration: EngageConfiguration) {
    self.noun = noun
    self.list = list
    providers = configuration.providers.map(\.id.rawValue)
  }

  func item<Item: Identifiable>(
    _ text: String, among items: [Item]
  ) throws(EngagementError) -> Item where Item.ID == ItemID {
    if let exact = items.first(where: { $0.id.description.hasSameBytes(as: text) }) { return exact }
    let found = items.filter { item in
      item.id.description.utf8.starts(with: text.utf8) || item.id.value.utf8.starts(with: text.utf8)
    }
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let some = found.prefix(4).map { "\"\($0.id)\"" }.joined(separator: ", ")
      throw EngagementError(
        .invalidArgument,
        "\"\(text)\" is the beginning of \(found.count) ids: \(some)"
          + (found.count > 4 ? ", …" : "") + "; type more of it.")
    }
    throw EngagementError(
      .notFound, "There is no \(noun) \"\(text)\"" + hint(text, items.map(\.id)))
  }

  private func hint(_ text: String, _ ids: [ItemID]) -> String {
    if let slash = text.firstIndex(of: "/"), !providers.contains(String(text[..<slash])) {
      let name = String(text[..<slash])
      return ": \"\(name)\" is no provider" + NearestName.hint(for: name, among: providers)
    }
    if let nearest = NearestName.of(text, among: ids.map(\.description)) {
      return "; did you mean \"\(nearest)\"?"
    }
    return ids.isEmpty ? "; the cache has none, run \"engage sync\"." : "; see \"\(list)\"."
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
    let least = id.provider.rawValue.utf8.count + 1 + Self.shortest
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
