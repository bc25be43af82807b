import BenchReport
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Glibc

/// Several vendors, each with a list that stays the same and a time that its answers take.
struct Vendors {
  static let all: [ProviderID] = ["a", "b", "c", "d"]
  /// Before any card of the work set ends.
  static let now = Date(timeIntervalSince1970: 1_770_000_000)
  static let home: ContainerID = "home"

  let ids: [ProviderID]
  private let lists: [ProviderID: [UInt8]]
  private let delay: Duration

  /// - Parameter files: The answer of each vendor, in order.
  init(_ files: [String] = [], delay: Duration = .zero) {
    ids = Array(Self.all.prefix(files.count))
    lists = Dictionary(uniqueKeysWithValues: zip(ids, files.map(bytes(of:))))
    self.delay = delay
  }

  init(count: Int) {
    ids = Array(Self.all.prefix(count))
    lists = [:]
    delay = .zero
  }

  var providers: Engagement.Providers {
    get throws {
      Engagement.Providers(
        try ids.map { id in
          let place = "https://\(id).example.com"
          return (id, BrazeAdapter(try BrazeConfiguration(endpoint: place, apiKey: Secret("key"))))
        })
    }
  }

  var keys: Engagement.ContentKeys {
    Engagement.ContentKeys(ids.map { ($0, .extra("content")) })
  }

  /// All vendors in one list, or the only one.
  var routes: Engagement.Routes {
    Engagement.Routes(cards: ids.count == 1 ? .only(ids[0]) : .merge(ids), inbox: .none)
  }

  var transport: ScriptedTransport {
    ScriptedTransport { [lists, delay] (request) throws(EngagementError) in
      guard request.line.hasSuffix("/content_cards/sync") else {
        return .json(200, #"{"config":{"time":1,"content_cards":{"enabled":true}}}"#)
      }
      if delay > .zero { try? await Task.sleep(for: delay) }
      let id = lists.keys.first { request.url.hasPrefix("https://\($0).") }
      return HTTPResponse(200, body: id.flatMap { lists[$0] } ?? [])
    }
  }

  func open(
    in folder: String, keyed: Bool = true, routes: Engagement.Routes? = nil
  ) async throws -> Engagement {
    let engagement = try await Engagement.open(
      cache: .file("\(folder)/cache.sqlite"), device: .test, transport: transport,
      providers: try providers, routes: routes ?? self.routes, contentKeys: keyed ? keys : [:],
      options: Engagement.Options(clock: TestClock(Self.now)))
    guard await engagement.refresh(.settings).isComplete else { throw Refused() }
    return engagement
  }
}

/// What was asked did not happen.
struct Refused: Error {}
