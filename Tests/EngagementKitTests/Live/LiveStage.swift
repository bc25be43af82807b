import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// An engagement that runs, with one vendor whose live channel the test is the server of.
struct LiveStage: Sendable {
  static let provider: ProviderID = "live"

  let engagement: Engagement
  let sockets: ScriptedSockets
  let transport: ScriptedTransport
  let clock = TestClock()
  private let running: Locked<Task<Void, any Error>?>
  private let showing = Locked<[Task<Void, Never>]>([])

  /// - Parameter script: The vendor's answers to requests; by default no cards.
  init(
    _ script: @escaping ScriptedTransport.Script = Stage.empty,
    secrets: any SecretStore = MemorySecretStore(),
    change: (inout PuppetAdapter) -> Void = { _ in }
  ) async throws {
    var adapter = PuppetAdapter(Self.provider, hasContainers: true)
    adapter.capabilities.isLive = true
    adapter.onConversation = { $0.user.isAnonymous ? nil : PuppetConversation() }
    change(&adapter)
    transport = ScriptedTransport(script)
    sockets = ScriptedSockets(transport)
    engagement = try await Engagement.open(
      cache: .temporary, device: .test, transport: sockets, providers: [Self.provider: adapter],
      routes: Routes(cards: .only(Self.provider), inbox: .none),
      options: Options(
        environment: "test", secrets: secrets, clock: clock,
        random: {
          let random = Locked(SplitMix64(seed: 7))
          return { random.withLock { $0.next() } }
        }()))
    running = Locked(nil)
    run()
  }

  func run() {
    let engagement = engagement
    running.withLock { $0 = Task { try await engagement.run() } }
  }

  func end() async throws {
    for task in showing.withLock({ $0 }) { task.cancel() }
    try await engagement.close()
    _ = await running.withLock(\.self)?.result
  }

  // MARK: The application

  func signIn(_ user: User) async throws {
    let serial = Locked(0)
    try await engagement.signIn(user, consent: .full) { _ in
      let number = serial.withLock { serial in
        serial += 1
        return serial
      }
      return Secret("\(user.id?.rawValue ?? "")-\(number)")
    }
  }

  /// Shows a container until the test ends.
  func show(_ container: ContainerID, _ options: CardOptions = .standard) async {
    let engagement = engagement
    let count = engagement.feedPublisher.observerCount
    showing.withLock {
      $0.append(
        Task { for await _ in engagement.cardUpdates(in: container, options: options) {} })
    }
    while engagement.feedPublisher.observerCount == count { await Task.yield() }
  }

  func ids(in container: ContainerID = "home") -> [String] {
    engagement.cards(in: container).cards.map(\.id.value)
  }

  /// How often the socket has brought something.
  var commits: Int { engagement.runtimes[Self.provider]?.host.liveCommits ?? 0 }

  // MARK: The vendor

  /// Waits until nothing happens before time passes or the test does something.
  func settle() async {
    while !sockets.open.allSatisfy(\.isIdle) || !engagement.liveChannels.isIdle {
      await Task.yield()
    }
  }

  /// Waits for a socket beyond the earlier ones, and returns it.
  func socket(_ number: Int = 1) async -> ScriptedSocket {
    while sockets.all.count < number { await Task.yield() }
    await settle()
    let socket = sockets.all[number - 1]
    // The client says at once who it is.
    while socket.isOpen && socket.heard.isEmpty { await Task.yield() }
    return socket
  }

  func say(_ text: String, on socket: ScriptedSocket) async {
    socket.say(text)
    await settle()
  }

  /// Waits until so many requests were sent.
  func requests(_ count: Int) async {
    while transport.requests.count < count { await Task.yield() }
  }
}

/// A simple live channel. The client says its token; `["a"]` is a container's whole list; `renew` refuses
/// the token.
struct PuppetConversation: Conversation {
  private var shown: [Feed] = []
  private var isOpen = false

  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
    switch event {
    case .started: return [connect]
    case .opened:
      isOpen = true
      return [say("token \(context.credential?.revealed ?? "none") \(context.id(0))"), showing]
    case .message(let bytes): return heard(String(decoding: bytes, as: UTF8.self), context)
    case .showing(let feeds):
      shown = feeds
      return isOpen ? [showing] : []
    case .closed:
      isOpen = false
      return [.poll(every: .seconds(15)), .timer("retry", after: .seconds(60))]
    case .timer: return [connect]
    case .credential(let isAvailable):
      return isAvailable ? [say("token \(context.credential?.revealed ?? "none")")] : close(3001)
    case .allowed(true): return [.poll(every: nil), connect]
    case .allowed(false): return close(3001) + [.poll(every: .seconds(15))]
    case .ended(.background): return close(3004)
    case .ended(.userLeft): return close(3003)
    case .ended: return close(3001)
    }
  }

  private var connect: SocketAction {
    .connect(HTTPRequest(.get, "wss://live.example/socket"))
  }

  private var showing: SocketAction {
    say(
      "showing "
        + shown.map {
          "\($0.container?.rawValue ?? "")\($0.filters.map { "+\($0.field.name)" }.joined())"
        }
        .joined(separator: ","))
  }

  private func say(_ text: String) -> SocketAction { .send(Array(text.utf8)) }

  private mutating func close(_ code: UInt16) -> [SocketAction] {
    defer { isOpen = false }
    return isOpen ? [.close(code: code)] : []
  }

  private func heard(_ text: String, _ context: AdapterContext) -> [SocketAction] {
    if text == "renew" { return [.renewCredential] }
    guard let ids = (try? JSON(parsing: Array(text.utf8)))?.array?.compactMap(\.string) else {
      return []
    }
    let items = ids.enumerated().map { index, id in
      RawItem(index: index, bytes: JSON.object(["id": .string(id)]).encoded()[...])
    }
    return shown.prefix(1).map { .commit([.items($0, .replace(.nothing), items)]) }
  }
}

/// Secrets of which one read can be held up.
struct HeldSecretStore: Engagement.SecretStore {
  private let store = MemorySecretStore()
  private let gate = Locked<Gate?>(nil)

  /// Holds the next read until the gate is open.
  func holdNext() -> Gate {
    let next = Gate()
    gate.withLock { $0 = next }
    return next
  }

  func secrets(
    of owner: Engagement.SecretOwner
  ) async throws(EngagementError) -> [String: Secret] {
    let held = gate.withLock { gate in
      defer { gate = nil }
      return gate
    }
    await held?.pass()
    return await store.secrets(of: owner)
  }

  func set(
    _ secrets: [String: Secret?], of owner: Engagement.SecretOwner
  ) async throws(EngagementError) { try await store.set(secrets, of: owner) }

  func removeAll(of user: User, in environment: String) async throws(EngagementError) {
    await store.removeAll(of: user, in: environment)
  }
}
