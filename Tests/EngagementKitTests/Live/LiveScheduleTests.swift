import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

@Suite("random schedules of live channels") struct LiveScheduleTests {
  /// A vendor with a list of cards for each user, over HTTP and over sockets that lose, repeat and
  /// reorder.
  private struct World {
    static let users: [UserID] = ["a", "b"]

    let clock = TestClock()
    let server: InProcessServer
    let sockets: ScriptedSockets
    let engagement: Engagement
    private let running: Task<Void, any Error>
    private let showing = Locked<Task<Void, Never>?>(nil)
    var random: SeededGenerator
    private var lists: [UserID: [String]] = [:]
    private var cardCount = 0
    /// The number of the last message on each socket that was greeted.
    private var numbers: [ObjectIdentifier: Int] = [:]
    /// Messages that are late.
    private var held: [(socket: ScriptedSocket, text: String)] = []
    private var user: UserID?
    private var isInBackground = false
    private var isAllowed = true
    private(set) var faults: [String] = []

    init(seed: UInt64) async throws {
      random = SeededGenerator(seed: seed)
      let server = InProcessServer(MemoryServer(seed: nil, at: clock.now), clock: clock)
      self.server = server
      sockets = ScriptedSockets(
        ScriptedTransport { request throws(EngagementError) in await server.answer(request) })
      let count = Locked(SplitMix64(seed: seed))
      let engagement = try await Engagement.open(
        cache: .temporary, device: .test, transport: sockets,
        providers: ["live": MemoryAdapter(as: "live")],
        routes: .init(cards: .only("live"), inbox: .none),
        options: Options(
          environment: "test", secrets: MemorySecretStore(), clock: clock,
          random: { count.withLock { $0.next() } }))
      self.engagement = engagement
      running = Task { try await engagement.run() }
      for user in Self.users { try await change(user) }
      try await enter("a")
    }

    func end() async throws {
      showing.withLock(\.self)?.cancel()
      try await engagement.close()
      _ = await running.result
    }

    // MARK: Steps

    mutating func step() async throws {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45: try await change(Self.users[Int.random(in: 0...1, using: &random)])
      case 45..<55: sayAll()
      case 55..<65: drop()
      case 65..<75: clock.advance(by: .seconds(Int.random(in: 1...90, using: &random)))
      case 75..<80:
        isInBackground.toggle()
        engagement.setScenePhase(isInBackground ? .background : .active)
      case 80..<84:
        isAllowed.toggle()
        engagement.setLiveUpdates(enabled: isAllowed)
      case 84..<90: try await enter(Self.users[Int.random(in: 0...1, using: &random)])
      case 90..<93: try await enter(nil)
      case 93..<96: await server.expireCredentials()
      case 96..<98:
        try await engagement.suspend()
        if !sockets.open.isEmpty { faults.append("A socket outlives suspend().") }
        try await engagement.resume()
      default: sayHeld()
      }
      await settle()
      check()
    }

    /// Takes everything back that keeps a socket from being open, and lets the vendor send its state.
    mutating func finish() async throws {
      if isInBackground { engagement.setScenePhase(.active) }
      if !isAllowed { engagement.setLiveUpdates(enabled: true) }
      (isInBackground, isAllowed) = (false, true)
      if user == nil { try await enter("a") }
      await settle()
      for _ in 0..<20 where sockets.open.isEmpty {
        clock.advance(by: .seconds(5))
        await settle()
      }
      if sockets.open.isEmpty { faults.append("No socket is opened again.") }
      sayAll()
      await settle()
      check()
      let shown = engagement.cards(in: "home").cards.map(\.id.value)
      let wanted = user.flatMap { lists[$0] } ?? []
      if shown != wanted { faults.append("The cache has \(shown), the vendor \(wanted).") }
    }

    // MARK: The application

    private mutating func enter(_ next: UserID?) async throws {
      if let next {
        try await engagement.signIn(User(next), consent: .full) { [user = next] _ in
          Credentials.credential(for: user)
        }
      } else {
        _ = try await engagement.signOut(within: .zero)
        if !sockets.open.isEmpty { faults.append("A socket outlives its user.") }
      }
      user = next
      // A sign-out ends every observation.
      let engagement = engagement
      showing.withLock { task in
        task?.cancel()
        task = Task { for await _ in engagement.cardUpdates(in: "home") {} }
      }
    }

    // MARK: The vendor

    private mutating func change(_ user: UserID) async throws {
      var list = lists[user] ?? []
      var members = ""
      if list.count > 2, Bool.random(using: &random) {
        let gone = list.remove(at: Int.random(in: 0..<list.count, using: &random))
        members = #""gone":["\#(gone)"]"#
      } else {
        cardCount += 1
        let id = "\(user)\(cardCount)"
        list.append(id)
        members = #""put":[\#(Self.card(id))]"#
      }
      lists[user] = list
      let feed = Feed(.cards, in: "home")
      await server.clear(feed, of: User(user))
      await server.put(list.map { Array(Self.card($0).utf8) }, in: feed, for: User(user))
      for socket in greeted(of: user) { say(members, on: socket) }
    }

    private static func card(_ id: String) -> String { #"{"id":"\#(id)"}"# }

    private func greeted(of user: UserID) -> [ScriptedSocket] {
      sockets.open.filter { numbers[ObjectIdentifier($0)] != nil && Self.user(of: $0) == user }
    }

    /// The user whose credential the client has said on the socket.
    private static func user(of socket: ScriptedSocket) -> UserID? {
      guard let hello = socket.heard.first,
        let text = (try? JSON(parsing: Array(hello.utf8)))?[
          "credential"]?.string
      else { return nil }
      return text.split(separator: ".").dropFirst().first.map { UserID(String($0)) }
    }

    /// Sends it, perhaps late, twice or never.
    private mutating func say(_ members: String, on socket: ScriptedSocket) {
      let number = (numbers[ObjectIdentifier(socket)] ?? 0) + 1
      numbers[ObjectIdentifier(socket)] = number
      let text = #"{"container":"home","at":\#(number),\#(members)}"#
      switch Int.random(in: 0..<10, using: &random) {
      case 0: break
      case 1: held.append((socket, text))
      case 2: for _ in 0..<2 { socket.say(text) }
      default: socket.say(text)
      }
    }

    /// Sends the whole list to whoever listens.
    private mutating func sayAll() {
      for user in Self.users {
        for socket in greeted(of: user) { sayAll(to: socket, user) }
      }
    }

    private mutating func sayAll(to socket: ScriptedSocket, _ user: UserID) {
      let number = (numbers[ObjectIdentifier(socket)] ?? 0) + 1
      numbers[ObjectIdentifier(socket)] = number
      let cards = (lists[user] ?? []).map(Self.card).joined(separator: ",")
      socket.say(#"{"container":"home","at":\#(number),"full":[\#(cards)]}"#)
    }

    private mutating func sayHeld() {
      for (socket, text) in held { socket.say(text) }
      held = []
    }

    private mutating func drop() {
      let codes: [SocketCloseCode] = [.abnormal, .internalError, .goingAway]
      let code = codes[Int.random(in: 0..<codes.count, using: &random)]
      for socket in sockets.open {
        socket.drop((try? SocketClose(code)) ?? .abnormal)
      }
    }

    /// Waits until everything that was sent is handled, and greets the sockets that are new.
    private mutating func settle() async {
      while true {
        // A client says who it is, or closes.
        while !sockets.open.allSatisfy({ $0.isIdle && !$0.heard.isEmpty })
          || !engagement.liveChannels.isIdle
        {
          await Task.yield()
        }
        let new = sockets.open.filter { numbers[ObjectIdentifier($0)] == nil }
        for socket in new {
          if let user = Self.user(of: socket) { sayAll(to: socket, user) }
        }
        if new.isEmpty { return }
      }
    }

    // MARK: What has to hold

    private mutating func check() {
      let open = sockets.open
      if open.count > 1 { faults.append("\(open.count) sockets are open.") }
      if user == nil || isInBackground || !isAllowed, !open.isEmpty {
        faults.append("A socket is open and should not be.")
      }
      for socket in open where !socket.heard.isEmpty && Self.user(of: socket) != user {
        faults.append("A socket has another user's credential.")
      }
      let shown = engagement.cards(in: "home").cards.map(\.id.value)
      if shown.contains(where: { $0.first != user?.rawValue.first }) {
        faults.append("\(shown) is shown to \(user?.rawValue ?? "nobody").")
      }
    }
  }

  /// Credentials as the invented vendor wants them, each newer than the one before.
  private enum Credentials {
    private static let serial = Locked(0)

    static func credential(for user: UserID) -> Secret {
      let number = serial.withLock { serial in
        serial += 1
        return serial
      }
      return Secret("memory.\(user).\(number)")
    }
  }

  private static let count =
    ProcessInfo.processInfo.environment["LIVE_RUNS"].flatMap(UInt64.init) ?? 50

  @Test(
    "A3 G20: after losses, repeats, gaps, sleeps and changes of user the next full state is the cache's"
  )
  func schedules() async throws {
    let first = ProcessInfo.processInfo.environment["LIVE_SEED"].flatMap(UInt64.init) ?? 1
    for seed in first...(first + Self.count - 1) {
      var world = try await World(seed: seed)
      for _ in 0..<20 { try await world.step() }
      try await world.finish()
      #expect(world.faults.isEmpty, "seed \(seed): \(world.faults.prefix(3))")
      try await world.end()
    }
  }
}
