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
    platform: CleverTapConfiguration.Platform = .iOS, hasServerInbox: Bool = true
  ) throws -> CleverTapOutline {
    CleverTapOutline(try configuration(platform: platform, hasServerInbox: hasServerInbox))
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

/// A host with the vendor behind it.
struct CleverTapScene: Sendable {
  let vendor: FakeCleverTap
  let transport: ScriptedTransport
  let memory: MemoryHost
  let runners: OperationRunners
  let clock: TestClock

  init(
    _ variant: KitVariant, vendor: FakeCleverTap = FakeCleverTap(), user: User = "u-1",
    hasServerInbox: Bool = true, script: ScriptedTransport.Script? = nil
  ) throws {
    self.vendor = vendor
    clock = TestClock(CleverTap.time)
    transport = ScriptedTransport(script ?? vendor.script)
    memory = variant.memory(
      try CleverTap.outline(hasServerInbox: hasServerInbox), user: user, transport: transport,
      clock: clock)
    runners = variant.runners(in: memory)
  }

  /// `METHOD host/path` of everything that was asked, in order.
  var lines: [String] {
    transport.requests.map { request in
      guard let url = try? request.target() else { return request.url }
      return "\(request.method) \(url.host)\(url.path)"
    }
  }

  /// The id of the device that asked last.
  func device() async -> String? { await vendor.batches.last?.guid }

  func perform(_ operation: CleverTap.Operation) async -> OperationRunner.Outcome {
    await runners.perform(operation)
  }

  /// Performs all of them at the same time.
  func perform(_ operations: [CleverTap.Operation]) async -> [OperationRunner.Outcome] {
    await withTaskGroup(of: OperationRunner.Outcome.self) { group in
      for operation in operations { group.addTask { await perform(operation) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Accepts events that the application reports by these names.
  func report(_ names: String...) {
    for name in names { memory.accept(CleverTap.event(EventID("e-\(name)"), .custom, name)) }
  }

  func signIn(_ user: User) async { await memory.signIn(user, runners.runner) }

  /// What each batch of the vendor's held.
  func batches() async -> [[String]] { await vendor.batches.map(\.names) }
}

extension KitVariant {
  /// A variant where changes are other ones on their way from the adapter to the host.
  static func changing(_ change: @escaping @Sendable (Change) -> Change?) -> KitVariant {
    .without { adapter in
      adapter.answer = { Answer($0.changes.compactMap(change), $0.verdict) }
      adapter.step = { step in
        if case .done(let changes) = step { .done(changes.compactMap(change)) } else { step }
      }
    }
  }
}

/// A host whose values all have one scope.
struct OneScope: OperationHost {
  let memory: MemoryHost
  let scope: Scope

  private var other: Scope { scope == .user ? .installation : .user }

  func context(
    for operation: CleverTap.Operation, _ attempt: Attempt, delivering rows: [Int64]
  ) async throws(EngagementError) -> AdapterContext {
    var context = try await memory.context(for: operation, attempt, delivering: rows)
    for (key, value) in context.values.all(scope) { context.values[other, key] = value }
    return context
  }

  func commit(
    _ changes: [Change], of operation: CleverTap.Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    let changes = changes.map { change -> Change in
      if case .keep(_, let key, let value) = change { .keep(scope, key, value) } else { change }
    }
    try await memory.commit(changes, of: operation, attempt, recording: event)
  }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await memory.renewCredential(replacing: refused, for: attempt)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await memory.send(request)
  }
}

/// A host that forgets who made an attempt: whoever is there now is taken for that user.
struct OnePresentUser: OperationHost {
  let memory: MemoryHost

  private func present(_ attempt: Attempt) -> Attempt {
    var attempt = attempt
    attempt.user = memory.user
    return attempt
  }

  func context(
    for operation: CleverTap.Operation, _ attempt: Attempt, delivering rows: [Int64]
  ) async throws(EngagementError) -> AdapterContext {
    try await memory.context(for: operation, present(attempt), delivering: rows)
  }

  func commit(
    _ changes: [Change], of operation: CleverTap.Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    try await memory.commit(changes, of: operation, present(attempt), recording: event)
  }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await memory.renewCredential(replacing: refused, for: present(attempt))
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await memory.send(request)
  }
}
