import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import OutlineAdapters

/// What the tests of this vendor share.
enum CleverTap {
  typealias Operation = EngagementAdapterAPI.Operation

  static let account = "ACC-1"
  static let token: Secret = Secret("token-canary")
  static let hello = "GET clevertap-prod.com/hello"
  static let batch = "POST eu1.clevertap-prod.com/a1"
  static let viewed = "POST eu1-spiky.clevertap-prod.com/a1"
  static let getMessages = "POST eu1.clevertap-prod.com/inbox/v2/getMessages"
  static let deleteMessages = "POST eu1.clevertap-prod.com/inbox/v2/deleteMessages"
  static let time = Date(timeIntervalSince1970: 1_790_845_200)
  static let due = Feed(.campaigns, in: "due")
  static let session = Session("s-1", startedAt: Date(timeIntervalSince1970: 1_790_845_100))

  static func configuration(
    region: String? = nil, platform: CleverTapConfiguration.Platform = .iOS,
    hasServerInbox: Bool = true, definesTemplates: Bool = true
  ) throws -> CleverTapConfiguration {
    try CleverTapConfiguration(
      accountID: account, token: token, region: region, platform: platform,
      hasServerInbox: hasServerInbox, definesTemplates: definesTemplates, clientRevision: 70_000)
  }

  static func outline(
    platform: CleverTapConfiguration.Platform = .iOS
  ) throws -> CleverTapOutline {
    CleverTapOutline(try configuration(platform: platform))
  }

  /// What is known after a handshake.
  static func context(
    user: User = "u-1", _ change: (inout AdapterContext) -> Void = { _ in }
  ) -> AdapterContext {
    var context = AdapterContext(user: user, device: .test, now: time, key: OperationKey(1, 2))
    context.values[.installation, "domain"] = "eu1.clevertap-prod.com"
    context.values[.installation, "domain.viewed"] = "eu1-spiky.clevertap-prod.com"
    context.values[.user, "guid"] = "-guid"
    change(&context)
    return context
  }

  static func event(
    _ id: EventID, _ kind: EngagementEvent.Kind, _ name: String? = nil,
    on item: ItemReference? = nil, _ properties: JSONObject = [:]
  ) -> EngagementEvent {
    EngagementEvent(id: id, kind: kind, time: time, item: item, name: name, properties: properties)
  }

  /// A campaign as an event speaks of it.
  static func campaign(_ id: String) -> ItemReference {
    ItemReference(
      ItemID("clevertap", id), on: .campaigns,
      handle: ["campaign": ["wzrk_id": .string("\(id)_20261001"), "wzrk_pivot": "wzrk_default"]])
  }

  /// A message of the vendor's list, read or not.
  static func message(_ id: String, read: Bool = false, date: Int = 1_790_845_000) -> String {
    let own = messageHere(id, date: date)
    return "\(own.dropLast()),\"isRead\":\(read)}"
  }

  /// A message as an answer to a batch brings it.
  static func messageHere(_ id: String, title: String? = nil, date: Int = 1_790_845_000) -> String {
    #"{"_id":"\#(id)","wzrk_id":"c-\#(id)","wzrk_pivot":"wzrk_default","date":\#(date),"#
      + #""msg":{"type":"simple","content":[{"title":{"text":"\#(title ?? "About \(id)")"}}]}}"#
  }

  /// A campaign with a template of the application's.
  static func campaign(_ id: Int, template: String) -> String {
    #"{"type":"custom-code","templateName":"\#(template)","ti":\#(id),"wzrk_id":"\#(id)_1"}"#
  }

  static func raw(_ text: String) -> RawItem { RawItem(index: 0, bytes: Array(text.utf8)[...]) }
}

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
      "clevertap", CleverTapOutline(try configuration ?? CleverTap.configuration()),
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

  /// Reports events of the application by these names.
  @discardableResult func report(_ names: String...) async throws -> [Engagement.Receipt] {
    var receipts: [Engagement.Receipt] = []
    for name in names { receipts.append(try await engagement.track(name)) }
    return receipts
  }

  /// Shows the user a campaign that is there already.
  func view() async throws {
    let campaign = CleverTap.raw(CleverTap.campaign(5, template: "seen"))
    try await engagement.commit(
      [.items(Feed(.campaigns, in: "seen"), .put, [campaign])], from: "clevertap")
    try await engagement.perform(.impression, on: ItemID("clevertap", "5"), surface: .campaigns)
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
