import CacheProbe
import EngagementAdapterAPI
import EngagementJSON
import EngagementKit
import EngagementModel
import Foundation

/// Opens caches in sequence, without a network, and prints the contents of each as a line of JSON.
struct Checking {
  private let adapters: [ProviderID: any EngagementAdapter]

  init() throws(EngagementError) {
    adapters = Dictionary(
      uniqueKeysWithValues: try Application.adapters(on: 9) + Application.campaigns(on: 9)
        + Application.live(on: 9))
  }

  func run() async {
    while let folder = readLine() { say(await line(on: folder)) }
  }

  private func line(on folder: String) async -> String {
    do throws(EngagementError) {
      var contents = try await probe(folder).contents(at: Date())
      try await startUp(in: folder)
      // With what an extension had left in the journal.
      contents.rows = try await probe(folder).contents(at: Date()).rows
      return Self.text(of: answer(contents))
    } catch {
      let detail = "\(error.message) (\(error.underlying ?? "no details"))"
      return Self.text(of: ["error": .string("\(error.code)"), "detail": .string(detail)])
    }
  }

  func probe(_ folder: String) -> CacheProbe {
    CacheProbe(
      path: Application.path(in: folder), adapters: adapters,
      users: [.anonymous] + (Application.users + [Application.undecided]).map { User(UserID($0)) })
  }

  /// Opens the cache with an application as well.
  private func startUp(in folder: String) async throws(EngagementError) {
    let application = try await Application(
      Arguments(["", "", "--folder", folder, "--port", "9"]))
    try await application.engagement.close()
  }

  // MARK: Output

  private func answer(_ contents: CacheProbe.Contents) -> JSONObject {
    var answer = JSONObject()
    answer["recovery"] = contents.recovery.map { .string($0) }
    answer["met"] = contents.met.map { .string("\($0.code): \($0.message)") }
    answer["health"] = .string(contents.health)
    answer["pending"] = .array(contents.rows.compactMap(Self.row))
    answer["wrong"] = .array(Self.wrongItems(contents).map { .string($0) })
    return answer
  }

  /// The verbs of the worker's events that have other names.
  private static let verbs = ["action": "track", "left": "leave", "visited": "visit"]

  /// A pending action of the worker; nil for the library's own rows.
  private static func row(_ row: CacheProbe.Row) -> JSON? {
    var object: JSONObject = [
      "provider": .string(row.provider.rawValue),
      "user": .string(row.user.id?.rawValue ?? "anonymous"),
    ]
    switch row.work {
    case .event(let event) where event.kind == .custom:
      object["verb"] = .string(Self.verbs[event.name ?? ""] ?? event.name ?? "")
      object["n"] = event.properties["n"] ?? .null
      object["properties"] = .object(event.properties)
    case .event(let event):
      let isOwn = [.upload, .providerFailed].contains(event.kind)
      guard let item = event.item, !isOwn else { return nil }
      object["verb"] = .string("\(event.kind)")
      object["target"] = .string(item.id.value)
    case .operation(.act(let action, let item)):
      object["verb"] = .string(action.name)
      object["target"] = .string(item.id.value)
    case .operation: return nil
    }
    return .object(object)
  }

  /// The items whose text does not match their id, as it does at the servers.
  private static func wrongItems(_ contents: CacheProbe.Contents) -> [String] {
    let cards = contents.cards.filter { $0.title != "Card \($0.id.value)" }.map(\.id.value)
    let messages = contents.messages.filter { $0.text != "Text of \($0.id.value)" }
      .map(\.id.value)
    return cards + messages
  }

  private static func text(of object: JSONObject) -> String {
    String(decoding: JSON.object(object).encoded(), as: UTF8.self)
  }
}
