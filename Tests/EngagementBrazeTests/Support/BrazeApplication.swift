import BrazeFixtures
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementTesting

/// An application with Braze alone, and a vendor that lists for each user what it is given.
struct BrazeApplication {
  let engagement: Engagement
  let transport: ScriptedTransport
  let clock = TestClock()
  /// Whether the network is there.
  let isOnline = Locked(true)

  init(cards: @escaping @Sendable (_ user: String) -> [String]) async throws {
    transport = ScriptedTransport { [isOnline] request throws(EngagementError) in
      guard isOnline.withLock({ $0 }) else {
        throw EngagementError(.unavailable, "There is no network.")
      }
      if request.line == BrazeScene.dataLine { return .json(201, BrazeScene.config(100)) }
      let user = (try? JSON(parsing: request.body ?? []))?["user_id"]?.string ?? ""
      return .json(201, BrazeScene.sync(full: true, cards(user)))
    }
    engagement = try await Engagement.open(
      cache: .temporary, device: .test, transport: transport,
      providers: ["braze": try BrazeScene.adapter()],
      routes: Engagement.Routes(cards: .only("braze"), inbox: .none),
      options: Engagement.Options(clock: clock))
  }

  /// Runs the engagement around the body, and takes everything away after it.
  func run(_ body: (Engagement) async throws -> Void) async throws {
    let running = Task { [engagement] in try await engagement.run() }
    do {
      try await body(engagement)
    } catch {
      running.cancel()
      try await engagement.close()
      throw error
    }
    running.cancel()
    try await engagement.close()
  }

  /// The ids of what is shown.
  var visible: [String] { engagement.cards(in: "home").cards.map(\.id.value) }

  /// The events of all requests, in order: the vendor's name and the card.
  var told: [String] {
    bodies.flatMap { $0["events"]?.array ?? [] }.filter { $0["name"] != "ss" }.map { event in
      let card = event["data"]?["ids"]?.array?.first?.string
      return [event["name"]?.string, card].compactMap(\.self).joined(separator: " ")
    }
  }

  /// The attributes of all requests, in order.
  var attributes: [JSON] { bodies.flatMap { $0["attributes"]?.array ?? [] } }

  private var bodies: [JSON] {
    transport.requests.compactMap { try? JSON(parsing: $0.body ?? []) }
  }
}
