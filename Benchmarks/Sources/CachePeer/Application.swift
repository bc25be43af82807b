import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials

/// A vendor that answers with its settings, and with whatever list of cards it was given last.
actor Vendor {
  private var cards: [UInt8] = []

  func list(_ cards: [UInt8]) { self.cards = cards }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    if request.line.hasSuffix("/content_cards/sync") { return HTTPResponse(200, body: cards) }
    return .json(200, #"{"config":{"time":1,"content_cards":{"enabled":true}}}"#)
  }
}

/// An application that shows one vendor's cards, with somebody looking at them.
struct Application {
  static let provider: ProviderID = "braze"
  /// Before any card of the work set ends.
  static let now = Date(timeIntervalSince1970: 1_770_000_000)
  private static let home: ContainerID = "home"

  let engagement: Engagement
  private let clock: TestClock
  private let vendor = Vendor()
  private var seen: FeedUpdates<CardFeed>.Iterator

  static func adapter() throws -> any EngagementAdapter {
    BrazeAdapter(
      try BrazeConfiguration(endpoint: "https://sdk.example.com", apiKey: Secret("key")))
  }

  /// Opens the cache in the folder. The vendor has told its settings when this returns.
  init(in folder: String, at now: Date = Self.now) async throws {
    let (vendor, clock) = (vendor, TestClock(now))
    self.clock = clock
    engagement = try await Engagement.open(
      cache: .file(Self.cache(in: folder)), device: .test,
      transport: ScriptedTransport { (request) throws(EngagementError) in
        await vendor.answer(request)
      },
      providers: [Provider(Self.provider, try Self.adapter())],
      routes: Routes(cards: .only(Self.provider), inbox: .none),
      options: Options(clock: clock))
    guard await engagement.refresh(.settings).isComplete else { throw Refused() }
    seen = engagement.cardUpdates(in: Self.home).makeAsyncIterator()
    _ = await seen.next()
  }

  /// The cards that are shown.
  var shown: [Card] { engagement.cards(in: Self.home).cards }

  /// Everything in the cache, control cards too, as all peers count it.
  var contents: (rows: Int, check: Int) {
    get async {
      let all = engagement.cardUpdates(
        in: Self.home, options: CardOptions(includesControl: true))
      var reader = all.makeAsyncIterator()
      let cards = await reader.next()?.cards ?? []
      return (cards.count, check(of: cards))
    }
  }

  /// From the vendor's bytes to cards that are committed and in the hands of who looks.
  mutating func sync(_ cards: [UInt8]) async throws {
    await vendor.list(cards)
    // Whoever looks is told of a list without news only because it is fresher.
    clock.advance(by: .seconds(60))
    let outcome = await engagement.refresh(.cards(Self.home))
    guard outcome.isComplete, await seen.next()?.cards.isEmpty == false else { throw Refused() }
  }

  static func cache(in folder: String) -> String { "\(folder)/cache.sqlite" }
}

/// What was asked did not happen.
struct Refused: Error {}

/// The bytes of the texts that every peer stores.
func check(of cards: [Card]) -> Int {
  cards.reduce(0) { sum, card in
    let texts = [card.id.value, card.title, card.text, card.imageURL, card.url]
    return sum + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
