import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// One of the vendor's two endpoints. The vendor counts attempts and limits requests for each.
enum BrazeEndpoint: String, CaseIterable {
  case data = "data"
  case cards = "content_cards/sync"

  init(_ operation: Operation) {
    if case .cards = operation { self = .cards } else { self = .data }
  }

  var path: String { self == .cards ? "/api/v3/content_cards/sync" : "/api/v3/data/" }

  /// The limit that the settings may set for this endpoint alone.
  var limit: BrazeMemory.Limit { self == .cards ? .cards : .data }

  /// The verbs whose requests go to the endpoint.
  var verbs: [Operation.Verb] {
    switch self {
    case .data: [.settings, .events, .updatePerson, .registerPush, .unregisterPush]
    case .cards: [.cards]
    }
  }
}

extension BrazeEndpoint {
  /// The headers by which the vendor sees how its clients behave.
  func usageHeaders(_ memory: BrazeMemory, _ context: AdapterContext) -> [(String, String)] {
    let failures = memory.failures(at: self)
    var headers = [
      ("X-Braze-Last-Req-Ms-Ago", String(sinceLastRequest(memory, at: context.now))),
      ("X-Braze-Req-Attempt", String(max(Int64(context.attempt), failures + 1))),
    ]
    for (name, limit) in [
      ("X-Braze-Req-Tokens-Remaining", .requests), ("X-Braze-Ept-Req-Tokens-Remaining", self.limit),
    ] as [(String, BrazeMemory.Limit)] {
      guard var bucket = memory.bucket(limit) else { continue }
      bucket.take(at: context.now)
      headers.append((name, String(bucket.tokens(at: context.now))))
    }
    return headers
  }

  /// Milliseconds since the last answer of this endpoint; two hours at most, and where none is known.
  private func sinceLastRequest(_ memory: BrazeMemory, at now: Date) -> Int64 {
    let most: Int64 = 7_200_000
    guard let last = memory.lastAnswer(at: self), let now = Epoch.milliseconds(of: now) else {
      return most
    }
    return min(max(now - last, 0), most)
  }

  /// What an answer of the endpoint leaves in memory.
  func changes(
    after verdict: Verdict, _ memory: BrazeMemory, at now: Date
  ) -> [Change] {
    let failures = memory.failures(at: self)
    let count: Int64 =
      switch verdict {
      case .done, .partly: 0
      case .retry, .renew, .refused: min(failures + 1, 1_000)
      }
    return BrazeMemory.answered(self, at: now)
      + (count == failures ? [] : BrazeMemory.failed(self, times: count))
  }
}

/// How long to wait after failures, as the settings say.
struct BrazeBackoff: Hashable {
  private let shortest: Double
  private let longest: Double
  private let factor: Double

  /// Reads the settings; nil if a value is missing or makes no sense.
  init?(_ fields: JSONFields?) {
    self.init(
      shortest: fields?.number("min_sleep_duration_ms"),
      longest: fields?.number("max_sleep_duration_ms"), factor: fields?.number("scale_factor"))
  }

  /// Reads the stored text.
  init?(_ text: String?) {
    let numbers = text?.split(separator: " ").compactMap { Double($0) } ?? []
    guard numbers.count == 3 else { return nil }
    self.init(shortest: numbers[0], longest: numbers[1], factor: numbers[2])
  }

  private init?(shortest: Double?, longest: Double?, factor: Double?) {
    guard let shortest, let longest, let factor, shortest > 0, longest >= shortest,
      longest <= 86_400_000, (1...100).contains(factor)
    else { return nil }
    (self.shortest, self.longest, self.factor) = (shortest, longest, factor)
  }

  var text: String { "\(shortest) \(longest) \(factor)" }

  /// The wait after this many failures in a row.
  func wait(after failures: Int64) -> Duration {
    var wait = shortest
    for _ in 1..<max(failures, 1) where wait < longest { wait *= factor }
    return .milliseconds(Int64(min(wait, longest)))
  }
}
