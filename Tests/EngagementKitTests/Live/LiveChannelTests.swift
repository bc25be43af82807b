import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("live channels", .timeLimit(.minutes(5))) struct LiveChannelTests {
  @Test("A3 A8: what the socket brings is shown, and one socket serves all containers")
  func updates() async throws {
    let stage = try await LiveStage()
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    #expect(socket.request.url == "wss://live.example/socket")
    await stage.say(#"["a","b"]"#, on: socket)
    #expect(stage.ids() == ["a", "b"])
    await stage.show("offers")
    while !socket.heard.contains("showing home,offers") { await Task.yield() }
    await stage.say(#"["b"]"#, on: socket)
    #expect(stage.ids() == ["b"])
    #expect(stage.sockets.all.count == 1 && stage.transport.requests.isEmpty)
    try await stage.end()
  }

  @Test("A8 A12: an observation takes those conditions to the vendor that the vendor has")
  func filters() async throws {
    let stage = try await LiveStage(change: {
      $0.capabilities.filters = [.priority: [.equal, .lessThanOrEqual]]
    })
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    let filters: [CardFilter] = [.priority(.atMost(2)), .cardID("b"), .priority(.atLeast(1))]
    let options = CardOptions(filters: filters)
    await stage.show("home", options)
    while socket.heard.last != "showing home+priority" { await Task.yield() }
    await stage.say(#"["a","b"]"#, on: socket)
    let feed = stage.engagement.cards(
      in: "home", options: .init(filters: [filters[0], filters[1]]))
    #expect(feed.cards.map(\.id.value) == ["b"], "the vendor's answer, less what is kept here")
    #expect(stage.ids().isEmpty, "the whole feed was not asked for")
    try await stage.end()
  }

  @Test("A3: without a user there is no channel, and each stay has a key of its own")
  func stays() async throws {
    let stage = try await LiveStage()
    while !stage.engagement.liveChannels.isIdle { await Task.yield() }
    #expect(stage.sockets.all.isEmpty)
    try await stage.signIn("u-1")
    let first = await stage.socket(1)
    try await stage.signIn("u-2")
    let second = await stage.socket(2)
    #expect(!first.isOpen && second.isOpen)
    let keys = [first, second].map { $0.heard[0].split(separator: " ").last }
    #expect(keys[0] != keys[1])
    try await stage.end()
  }

  @Test("A3: a server that reads nothing keeps nobody from signing out, and nobody from signing in")
  func unread() async throws {
    let stage = try await LiveStage()
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    socket.stopReading()
    await stage.show("home")
    let leaving = Task { try await stage.engagement.signOut(within: .seconds(1)) }
    while socket.isOpen {
      stage.clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    _ = try await leaving.value
    #expect(!socket.heard.contains { $0.hasPrefix("showing home") })
    try await stage.signIn("u-2")
    #expect(await stage.socket(2).isOpen)
    try await stage.end()
  }

  @Test("A3: a socket is closed before the next user comes, and what it still says is dropped")
  func signOut() async throws {
    let stage = try await LiveStage()
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    await stage.say(#"["a"]"#, on: socket)
    _ = try await stage.engagement.signOut(within: .seconds(1))
    try #require(!socket.isOpen && socket.clientClose?.code.rawValue == 3_003)
    socket.say(#"["late"]"#)
    await stage.show("home")
    try await stage.signIn("u-2")
    let next = await stage.socket(2)
    #expect(stage.ids().isEmpty)
    #expect(!next.heard.contains { $0.contains("u-1") })
    #expect(!socket.heard.contains { $0.contains("u-2") })
    try await stage.end()
  }

  @Test("A3 G13: a user leaves after the last commit of what their socket has brought")
  func lastCommit() async throws {
    let secrets = HeldSecretStore()
    let stage = try await LiveStage(secrets: secrets)
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    // The channel reads the secrets before it handles what it has heard.
    let gate = secrets.holdNext()
    socket.say(#"["late"]"#)
    await gate.isHolding(1)
    let change = Task { try await stage.signIn("u-2") }
    // Long enough for a change that does not wait, also on a busy machine.
    let start = ContinuousClock.now
    while stage.engagement.user == "u-1", ContinuousClock.now - start < .seconds(1) {
      await Task.yield()
    }
    #expect(stage.engagement.user == "u-1", "the change waits for the channel")
    #expect(stage.commits == 0)
    gate.open()
    try await change.value
    let commits = stage.commits
    socket.say(#"["later"]"#)
    _ = await stage.socket(2)
    #expect(stage.commits == commits && stage.ids().isEmpty)
    try await stage.end()
  }

  @Test("A3: in the background the socket is closed, in front another one is opened")
  func background() async throws {
    let stage = try await LiveStage()
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    stage.engagement.setScenePhase(.background)
    while socket.isOpen { await Task.yield() }
    #expect(socket.clientClose?.code.rawValue == 3_004)
    await stage.settle()
    #expect(stage.sockets.open.isEmpty)
    stage.engagement.setScenePhase(.active)
    #expect(await stage.socket(2).isOpen)
    try await stage.end()
  }

  @Test("A3: suspend() returns with the socket closed, and resume() opens another")
  func suspension() async throws {
    let stage = try await LiveStage()
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    try await stage.engagement.suspend()
    #expect(socket.clientClose?.code.rawValue == 3_004)
    try await stage.engagement.resume()
    #expect(await stage.socket(2).isOpen)
    try await stage.end()
  }

  @Test("A3: a channel ends when no route shows the provider, and begins when one does")
  func routes() async throws {
    let stage = try await LiveStage()
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    try await stage.engagement.setRoute(.none, for: .cards)
    while socket.isOpen { await Task.yield() }
    #expect(socket.clientClose?.code.rawValue == 3_001)
    try await stage.engagement.setRoute(.only(LiveStage.provider), for: .cards)
    #expect(await stage.socket(2).isOpen)
    try await stage.end()
  }

  @Test("A3: live updates can be switched off, which polls, and on again")
  func switching() async throws {
    let stage = try await LiveStage({ _ in .json(200, #"["polled"]"#) })
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    stage.engagement.setLiveUpdates(enabled: false)
    while stage.ids() != ["polled"] { await Task.yield() }
    #expect(socket.clientClose?.code.rawValue == 3_001)
    stage.engagement.setLiveUpdates(enabled: true)
    #expect(await stage.socket(2).isOpen)
    // No poll any more: only sleepers of other parts wake.
    let count = stage.transport.requests.count
    for _ in 0..<60 { stage.clock.advance(by: .seconds(1)) }
    await stage.settle()
    #expect(stage.transport.requests.count == count)
    try await stage.end()
  }

  @Test("A8: a refresh does not take back what the socket brought while it was under way")
  func olderAnswer() async throws {
    let (gate, answers) = (Gate(), Locked(["[\"old\"]", "[\"new\"]"]))
    let stage = try await LiveStage({ request in
      guard request.line == "GET /cards" else { return .json(200, "[]") }
      let answer = answers.withLock { $0.removeFirst() }
      await gate.pass()
      return .json(200, answer)
    })
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    let ids = Locked<[[String]]>([])
    let watching = Task {
      for await feed in stage.engagement.cardUpdates(in: "home") {
        ids.withLock { $0.append(feed.cards.map(\.id.value)) }
      }
    }
    async let refresh = stage.engagement.refresh(.cards(in: "home"))
    await gate.isHolding(1)
    await stage.say(#"["new"]"#, on: socket)
    gate.open()
    #expect(await refresh.isComplete)
    #expect(stage.ids() == ["new"])
    #expect(answers.withLock(\.self).isEmpty, "it is asked again")
    watching.cancel()
    await watching.value
    #expect(!ids.withLock(\.self).contains(["old"]), "not for a moment")
    try await stage.end()
  }

  /// What is on the way on the socket may be older than an answer: the vendor numbers nothing.
  @Test("A8 G5: no older message brings a dismissed card back after a refresh that lacks it")
  func olderMessage() async throws {
    let stage = try await LiveStage({ .json(200, $0.line == "GET /cards" ? #"["b"]"# : "[]") })
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    await stage.say(#"["a","b"]"#, on: socket)
    let receipt = try await stage.engagement.perform(.dismiss, on: ItemID(LiveStage.provider, "a"))
    #expect(try await receipt.outcome() == .delivered)
    #expect(await stage.engagement.refresh(.cards(in: "home")).isComplete)
    await stage.say(#"["a","b"]"#, on: socket)
    #expect(stage.ids() == ["b"])
    await stage.say(#"["b"]"#, on: socket)
    await stage.say(#"["a","b"]"#, on: socket)
    #expect(stage.ids() == ["a", "b"], "the vendor lists it again after it did not")
    try await stage.end()
  }

  @Test("A8: a socket that brings something all the time does not hold a refresh up")
  func busySocket() async throws {
    let sockets = Locked<LiveStage?>(nil)
    let stage = try await LiveStage({ _ in
      if let stage = sockets.withLock(\.self), let socket = stage.sockets.open.first {
        let commits = stage.commits
        socket.say(#"["new"]"#)
        while stage.commits == commits { await Task.yield() }
      }
      return .json(200, #"["new"]"#)
    })
    await stage.show("home")
    try await stage.signIn("u-1")
    _ = await stage.socket()
    sockets.withLock { $0 = stage }
    #expect(await stage.engagement.refresh(.cards(in: "home")).isComplete)
    #expect(stage.transport.lines.filter { $0 == "GET /cards" }.count == 3)
    sockets.withLock { $0 = nil }
    try await stage.end()
  }

  @Test("A3 A26: a denied socket polls what is shown, and is tried again")
  func denied() async throws {
    let stage = try await LiveStage({ _ in .json(200, #"["polled"]"#) })
    stage.sockets.refuse(with: EngagementError(.permissionDenied, "The policy denies it."))
    await stage.show("home")
    try await stage.signIn("u-1")
    while stage.ids() != ["polled"] { await Task.yield() }
    let polls = stage.polls
    await stage.settle()
    stage.clock.advance(by: .seconds(15))
    while stage.polls == polls { await Task.yield() }
    stage.sockets.refuse(with: nil)
    stage.clock.advance(by: .seconds(60))
    #expect(await stage.socket().isOpen)
    try await stage.end()
  }

  @Test("G16: a host that the vendor's capabilities do not name gets no socket")
  func foreignHost() async throws {
    let stage = try await LiveStage(change: { $0.capabilities.hosts = [] })
    try await stage.signIn("u-1")
    await stage.settle()
    #expect(stage.sockets.all.isEmpty)
    try await stage.end()
  }

  @Test("A2 A3: a refused token is replaced on the same socket")
  func renewal() async throws {
    let stage = try await LiveStage()
    try await stage.signIn("u-1")
    let first = await stage.socket()
    try await stage.engagement.renewCredential(of: LiveStage.provider)
    stage.engagement.setScenePhase(.background)
    while first.isOpen { await Task.yield() }
    stage.engagement.setScenePhase(.active)
    let socket = await stage.socket(2)
    #expect(socket.heard[0].hasPrefix("token u-1-1 "))
    await stage.say("renew", on: socket)
    while socket.heard.last != "token u-1-2" { await Task.yield() }
    #expect(stage.sockets.all.count == 2)
    try await stage.end()
  }

  @Test("X20: a withdrawn consent closes the socket and lets no poll out; a new one opens another")
  func consent() async throws {
    let stage = try await LiveStage()
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    try await stage.engagement.setConsent(.denied)
    #expect(!socket.isOpen)
    await stage.settle()
    stage.clock.advance(by: .seconds(120))
    await stage.settle()
    #expect(stage.sockets.all.count == 1 && stage.polls == 0)
    try await stage.engagement.setConsent(.essential)
    #expect(await stage.socket(2).isOpen)
    try await stage.end()
  }

  @Test("A3: a server that says more than the cache can keep has to wait")
  func backPressure() async throws {
    let stage = try await LiveStage()
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    for number in 0..<100 { socket.say(#"["\#(number)"]"#) }
    await stage.settle()
    #expect(stage.ids() == ["99"])
    try await stage.end()
  }
}

extension LiveStage {
  /// How many requests for cards were sent.
  fileprivate var polls: Int { transport.requests.filter { $0.url.contains("/cards") }.count }
}
