import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting

/// An application with the vendor behind it, whose anonymous user agrees to everything.
struct CleverTapScene: Sendable {
  let vendor: FakeCleverTap
  let app: AppScene
  private let warned = Locked<[String]>([])

  init(
    _ variant: KitVariant, vendor: FakeCleverTap = FakeCleverTap(),
    _ configuration: CleverTapConfiguration? = nil, script: ScriptedTransport.Script? = nil
  ) async throws {
    self.vendor = vendor
    let warned = warned
    app = try await AppScene(
      "clevertap", CleverTapAdapter(try configuration ?? CleverTap.configuration()),
      behind: variant, clock: TestClock(CleverTap.time),
      loggers: [
        Engagement.LinesLogger(level: .warning) { line in warned.withLock { $0.append(line) } }
      ], ScriptedTransport(script ?? vendor.script))
    try await app.engagement.setConsent(.full)
  }

  var engagement: Engagement { app.engagement }
  var transport: ScriptedTransport { app.transport }
  var clock: TestClock { app.clock }
  var messages: [String] { app.messages }

  /// What the log warns of at this provider.
  var warnings: [String] { warned.withLock(\.self).filter { $0.contains("clevertap: ") } }

  /// `METHOD host/path` of everything that was asked, in order.
  var lines: [String] {
    transport.requests.map { request in
      guard let url = try? request.target() else { return request.url }
      return "\(request.method) \(url.host)\(url.path)"
    }
  }

  var pending: Int { get async throws { try await app.pending } }

  /// The id of the device that asked last.
  func device() async -> String? { await vendor.batches.last?.guid }

  func perform(_ operation: CleverTap.Operation) async -> OperationRunner.Outcome {
    await app.execute(operation)
  }

  func value(_ scope: Scope, _ name: String) async throws -> String? {
    try await engagement.context(of: "clevertap").values[scope, name]
  }

  /// The templates of the campaigns of a list.
  func campaigns(in feed: Feed = .campaigns) async throws -> [String] {
    try await engagement.campaigns(in: feed, of: "clevertap").map(\.template)
  }

  /// The ids of campaigns that became due, also of those whose template nobody defined.
  func dueCampaigns() async throws -> [String] {
    try await engagement.events().filter { $0.kind.rawValue == "campaign.due" }
      .compactMap { $0.item?.id.value }
  }

  /// Reports events of the application by these names.
  @discardableResult func report(_ names: String...) async throws -> [Engagement.Receipt] {
    var receipts: [Engagement.Receipt] = []
    for name in names { receipts.append(try await engagement.track(name)) }
    return receipts
  }

  /// Takes a push whose arrival the vendor wants to hear of.
  func view() async throws {
    let push: JSON = ["wzrk_pid": "p-1", "wzrk_id": "5_1", "wzrk_rnv": true]
    _ = try await engagement.handlePush(push, phase: .delivered)
  }

  /// Sends what can be sent now.
  func deliver() async { await app.deliver() }

  /// Sends so many times, each after the longest pause that the kit makes by itself.
  func deliver(times count: Int) async {
    for _ in 0..<count {
      await deliver()
      clock.advance(by: .seconds(300))
    }
  }

  func signIn(_ user: User) async throws { try await app.signIn(user) }

  /// What each batch of the vendor's held.
  func batches() async -> [[String]] { await vendor.batches.map(\.names) }

  func end() async throws { try await app.end() }
}

extension KitVariant {
  /// A variant where changes are other ones on their way from the adapter to the kit.
  static func changing(_ change: @escaping @Sendable (Change) -> Change?) -> KitVariant {
    .without { $0.change(change) }
  }

  /// A variant whose values all have one scope.
  static func oneScope(_ scope: Scope) -> KitVariant {
    .without { adapter in
      adapter.context = { context in
        var context = context
        for (key, value) in context.values.all(scope) {
          context.values[scope == .user ? .installation : .user, key] = value
        }
        return context
      }
      adapter.change {
        if case .keep(_, let key, let value) = $0 { .keep(scope, key, value) } else { $0 }
      }
    }
  }
}

extension ChangedAdapter {
  fileprivate mutating func change(_ change: @escaping @Sendable (Change) -> Change?) {
    answer = { Answer($0.changes.compactMap(change), $0.verdict) }
    step = { step in
      if case .done(let changes) = step { .done(changes.compactMap(change)) } else { step }
    }
  }
}
