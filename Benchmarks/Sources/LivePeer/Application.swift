import EngagementAtomic
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials

/// An application that shows one container of one vendor.
enum Application {
  static let provider: ProviderID = "atomic"
  static let home: ContainerID = "home"

  /// Opens the cache in the folder. A user is signed in when this returns.
  static func open(
    in folder: String, at endpoint: String, over transport: any HTTPTransport,
    _ clock: any EngagementClock, pollInterval: Duration = .seconds(15)
  ) async throws -> Engagement {
    let configuration = try AtomicConfiguration(
      endpoint: endpoint, environmentID: "env-1", apiKey: Secret("key"), pollInterval: pollInterval)
    let engagement = try await Engagement.open(
      cache: .file("\(folder)/cache.sqlite"), device: .test, transport: transport,
      providers: [provider: .atomic(configuration)],
      routes: Engagement.Routes(cards: .only(provider), inbox: .none),
      options: Engagement.Options(clock: clock))
    let token = token(until: clock.now.addingTimeInterval(86_400))
    try await engagement.signIn("u-1", consent: .full) { _ in token }
    return engagement
  }

  /// A token of the user. Nobody checks its signature.
  private static func token(until end: Date) -> Secret {
    let claims: JSONObject = [
      "sub": "u-1", "exp": .integer(Int64(end.timeIntervalSince1970)),
    ]
    let parts = [["alg": "none"], claims].map { Base64URL.text(of: JSON.object($0).encoded()) }
    return Secret((parts + ["c2ln"]).joined(separator: "."))
  }
}

/// An application that reads its feed over a network in this process.
struct Reading {
  private let engagement: Engagement
  private let clock = TestClock(Date(timeIntervalSince1970: 1_770_000_000))
  private let vendor = Vendor()
  private var seen: Engagement.FeedUpdates<Engagement.CardFeed>.Iterator

  init(in folder: String) async throws {
    let vendor = vendor
    engagement = try await Application.open(
      in: folder, at: "https://atomic.example",
      over: ScriptedTransport { (_) throws(EngagementError) in await vendor.answer },
      clock)
    seen = engagement.cardUpdates(in: Application.home).makeAsyncIterator()
    _ = await seen.next()
  }

  /// The cards that are shown.
  var shown: [Card] { engagement.cards(in: Application.home).cards }

  /// Gives the vendor the feed for its next answer.
  func offer(_ feed: [UInt8]) async { await vendor.list(feed) }

  /// From the vendor's bytes to cards that are committed and in the hands of who looks.
  mutating func refresh() async throws {
    clock.advance(by: .seconds(60))
    guard await engagement.refresh(.cards(in: Application.home)).isComplete,
      await seen.next()?.cards.isEmpty == false
    else { throw Refused() }
  }

  func close() async throws { try await engagement.close() }
}

/// A vendor that answers with the feed that it was given last.
private actor Vendor {
  private var feed: [UInt8] = []

  var answer: HTTPResponse { HTTPResponse(200, body: feed) }

  func list(_ feed: [UInt8]) { self.feed = feed }
}

/// What was asked did not happen.
struct Refused: Error {}
