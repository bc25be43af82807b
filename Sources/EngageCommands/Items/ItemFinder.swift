import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementVendors

/// Finds an item by what people type: an id with or without its provider, or a beginning of one that
/// only one item has. An exact id wins.
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
    let same = items.filter { $0.id.value.hasSameBytes(as: text) }
    if same.count == 1 { return same[0] }
    let found =
      same.isEmpty ? items.filter { Self.typed(text, of: $0.id) ?? 0 >= Self.shortest } : same
    if found.count == 1 { return found[0] }
    guard !found.isEmpty || !items.contains(where: { Self.typed(text, of: $0.id) != nil }) else {
      throw EngagementError(
        .invalidArgument,
        "\"\(text)\" is too short: type at least \(Self.shortest) characters of the id; see"
          + " \"\(list)\".")
    }
    guard found.isEmpty else {
      let ids = ShortIDs(found.map(\.id))
      let some = found.prefix(4).map { "\"\(ids.text(of: $0.id))\"" }.joined(separator: ", ")
      throw EngagementError(
        .invalidArgument,
        "\"\(text)\" is the beginning of \(found.count) ids: \(some)"
          + (found.count > 4 ? ", …" : "") + "; type more of it.")
    }
    throw EngagementError(
      .notFound, "There is no \(noun) \"\(text)\"" + hint(text, items.map(\.id)))
  }

  /// A shorter beginning of an id names nothing: a script's empty variable must not delete a message.
  private static let shortest = 4

  /// How many bytes of the id the text has, with or without the provider; nil if it is no beginning of
  /// the id.
  private static func typed(_ text: String, of id: ItemID) -> Int? {
    if id.value.utf8.starts(with: text.utf8) { return text.utf8.count }
    guard id.description.utf8.starts(with: text.utf8) else { return nil }
    return max(0, text.utf8.count - "\(id.provider)/".utf8.count)
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
  private let places: [[UInt8]: Int]
  /// What is typed is not worth being shorter.
  private static let shortest = 8

  init(_ ids: [ItemID]) {
    sorted = Set(ids).map { Array($0.description.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    places = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
  }

  /// The beginning of one id, for an item that was just named.
  static func text(of id: ItemID) -> String { ShortIDs([id]).text(of: id) }

  func text(of id: ItemID) -> String {
    let bytes = Array(id.description.utf8)
    let least = id.provider.rawValue.utf8.count + 1 + Self.shortest
    guard let place = places[bytes], bytes.count > least else {
      return id.description
    }
    let neighbours = [place - 1, place + 1].filter(sorted.indices.contains).map { sorted[$0] }
    let shared = neighbours.map { zip($0, bytes).prefix { $0 == $1 }.count }.max() ?? 0
    let length = max(least, shared + 1)
    // A character is never cut.
    return String(validating: bytes.prefix(length), as: UTF8.self) ?? id.description
  }
}

extension ItemID {
  /// Other members behind `provider` and `id`, which name the item as its own JSON does.
  func object(with others: JSONObject) -> JSONObject {
    let own: JSONObject = ["provider": .string(provider.rawValue), "id": .string(value)]
    return JSONObject(uniqueMembers: own.members + others.members)
  }
}
