import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials

/// A vendor that answers with whatever list it was given last, and with texts that stay the same.
actor Vendor {
  /// What a request's line ends with that asks for the list.
  private let place: String
  /// The answers to other requests, by what their lines end with; an empty text is all others.
  private let others: [(end: String, body: String)]
  private var items: [UInt8] = []

  init(listing place: String, others: [(end: String, body: String)]) {
    self.place = place
    self.others = others
  }

  func list(_ items: [UInt8]) { self.items = items }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    if request.line.hasSuffix(place) { return HTTPResponse(200, body: items) }
    let other = others.first { $0.end.isEmpty || request.line.hasSuffix($0.end) }
    return .json(200, other?.body ?? "{}")
  }

  nonisolated var transport: ScriptedTransport {
    ScriptedTransport { (request) throws(EngagementError) in await self.answer(request) }
  }
}

/// An application with somebody looking at what its vendor lists.
protocol Looking {
  /// Gives the vendor the list for its next answer.
  func offer(_ items: [UInt8]) async

  /// From the vendor's bytes to items that are committed and in the hands of who looks.
  mutating func sync() async throws

  /// Everything in the cache, as all peers count it.
  var contents: (rows: Int, check: Int) { get async }
}

/// An application that shows one vendor's cards.
struct Application: Looking {
  static let provider: ProviderID = "braze"
  /// Before any card of the work set ends.
  static let now = Date(timeIntervalSince1970: 1_770_000_000)
  private static let home: ContainerID = "home"

  let engagement: Engagement
  private let clock: TestClock
  private let vendor = Vendor(
    listing: "/content_cards/sync",
    others: [("", #"{"config":{"time":1,"content_cards":{"enabled":true}}}"#)])
  private var seen: Engagement.FeedUpdates<Engagement.CardFeed>.Iterator

  static func adapter() throws -> any EngagementAdapter {
    BrazeAdapter(
      try BrazeConfiguration(endpoint: "https://sdk.example.com", apiKey: Secret("key")))
  }

  /// Opens the cache in the folder. The vendor has told its settings when this returns.
  init(in folder: String, at now: Date = Self.now) async throws {
    clock = TestClock(now)
    engagement = try await Engagement.open(
      cache: .file(Self.cache(in: folder)), device: .test, transport: vendor.transport,
      providers: [Self.provider: try Self.adapter()],
      routes: Engagement.Routes(cards: .only(Self.provider), inbox: .none),
      options: Engagement.Options(clock: clock))
    guard await engagement.refresh(.settings).isComplete else { throw Refused() }
    seen = engagement.cardUpdates(in: Self.home).makeAsyncIterator()
    _ = await seen.next()
  }

  /// The cards that are shown.
  var shown: [Card] { engagement.cards(in: Self.home).cards }

  /// Control cards too.
  var contents: (rows: Int, check: Int) {
    get async {
      let all = engagement.cardUpdates(
        in: Self.home, options: Engagement.CardOptions(includesControl: true))
      var reader = all.makeAsyncIterator()
      let cards = await reader.next()?.cards ?? []
      return (cards.count, check(of: cards))
    }
  }

  func offer(_ cards: [UInt8]) async { await vendor.list(cards) }

  mutating func sync() async throws {
    // Whoever looks is told of a list without news only because it is fresher.
    clock.advance(by: .seconds(60))
    let outcome = await engagement.refresh(.cards(in: Self.home))
    guard outcome.isComplete, await seen.next()?.cards.isEmpty == false else { throw Refused() }
  }

  static func cache(in folder: String) -> String { "\(folder)/cache.sqlite" }
}

/// What was asked did not happen.
struct Refused: Error {}

/// The bytes of the texts that every peer stores.
func check(of cards: [Card]) -> Int {
  cards.reduce(0) { sum, card in
    let texts = [card.id.value, card.title, card.text, card.imageURLText, card.urlText]
    return sum + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
