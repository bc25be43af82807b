import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What all listeners share: the vendors, their clock, the faults and the record.
final class EmulatorCore: Sendable {
  private struct State {
    var vendors: [String: any VendorServer] = [:]
    var clock: VendorClock
    var faults: FaultPlan
    var record = RequestRecord()
    var isOffline = false
    var seed: UInt64
    /// Where changes are kept; nil to forget them at the end.
    var file: StateFile?
    var sockets = SocketTable()
    /// What calls back when a vendor has something to say later.
    var timer: TimerThread?
    /// When it will call back, by the vendors' clock.
    var planned: Date?
  }

  private let registrations: [VendorRegistration]
  private let credentialHeaders: Set<String>
  /// The names of the vendors that have a server, started or not.
  private let served: [String]
  private let itemCount: Int
  private let state: Locked<State>

  /// Throws what `StateFile` throws.
  init(_ configuration: Emulator.Configuration) throws(EngagementError) {
    let now = VendorClock(standingAt: configuration.clock).now
    let file: StateFile? =
      if let path = configuration.state {
        try StateFile(path, seed: configuration.seed, at: now)
      } else {
        nil
      }
    let seed = file?.seed ?? configuration.seed
    registrations = configuration.registrations
    served = configuration.served
    itemCount = configuration.itemCount
    credentialHeaders = Set(
      VendorRegistration.commonCredentialHeaders + registrations.flatMap(\.credentialHeaders))
    var state = State(
      clock: VendorClock(standingAt: configuration.clock),
      faults: FaultPlan(configuration.faults ?? EmulatorFaults(), seed: seed), seed: seed,
      file: file)
    state.clock.advance(by: .seconds(file?.clockDifference ?? 0))
    for name in configuration.vendors {
      guard
        var server = VendorStart.server(
          name, among: registrations, seed: seed, at: file?.start ?? now)
      else { continue }
      VendorStart.replay(file, of: name, on: &server, at: state.clock.now)
      VendorStart.fill(&server, of: name, to: itemCount, file, at: state.clock.now)
      state.vendors[name] = server
    }
    self.state = Locked(state)
  }

  /// Answers a call to a vendor's port.
  func answer(_ call: VendorRequest, as vendor: String) -> ResponseDelivery {
    if let refusal = LoopbackGuard.refusal(of: call) { return .answer(refusal) }
    return state.withLock { state in
      guard !state.isOffline else { return .wire([.reset]) }
      return answer(call, as: vendor, &state)
    }
  }

  private func answer(
    _ call: VendorRequest, as vendor: String, _ state: inout State
  ) -> ResponseDelivery {
    guard var server = state.vendors[vendor] else { return .wire([.reset]) }
    if let loop = RedirectLoop.reply(to: call) { return .answer(loop) }
    if var preflight = CrossOrigin.preflight(call) {
      CrossOrigin.allow(call, in: &preflight)
      return .answer(preflight)
    }
    let now = state.clock.now
    var probe = server
    let opensSocket =
      call.asksForSocket
      && probe.openSocket(state.sockets.lastNumber + 1, for: call, at: now) != nil
    let fault = state.faults.next(for: call, to: vendor, opensSocket: opensSocket)
    if opensSocket { return upgrade(call, as: vendor, server, fault, &state) }
    let applied = fault.map { AppliedFault(fault: $0, call: call, now: now) }
    var untouched = server
    var handled = applied?.instead ?? server.answer(call, at: now)
    if applied?.isRepeated == true {
      let first = handled.effects
      handled = server.answer(call, at: now)
      handled.effects = first + handled.effects
    }
    CrossOrigin.allow(call, in: &handled.reply)
    state.vendors[vendor] = server
    if call.method != "GET", applied?.instead == nil {
      for _ in 0..<(applied?.isRepeated == true ? 2 : 1) {
        state.file?.append(.call(call), of: vendor, at: now)
      }
    }
    let delivery = applied?.delivery(of: handled.reply) ?? .answer(handled.reply)
    let alteration = applied.map { _ in
      var plain = untouched.answer(call, at: now).reply
      CrossOrigin.allow(call, in: &plain)
      return EmulatorRequest.Alteration(of: plain, by: delivery)
    }
    record(handled, to: call, as: vendor, applied, alteration, &state)
    speak(vendor, &state)
    return delivery
  }

  private func record(
    _ handled: VendorAnswer, to call: VendorRequest, as vendor: String, _ fault: AppliedFault?,
    _ alteration: EmulatorRequest.Alteration?, socket: Int? = nil, _ state: inout State
  ) {
    state.record.append(
      EmulatorRequest(
        number: 0, time: state.clock.now, vendor: vendor, method: call.method,
        host: call.header("Host") ?? "", credentials: credentials(in: call), path: call.path,
        status: fault?.hidesAnswer == true ? nil : handled.reply.status,
        effects: handled.effects, bytes: call.body.count, summary: handled.summary,
        fault: fault?.fault.kind.name, alteration: alteration, socket: socket))
  }

  // MARK: Web sockets

  /// Answers a request for a socket at a place that has one.
  private func upgrade(
    _ call: VendorRequest, as vendor: String, _ server: any VendorServer,
    _ fault: EmulatorFaults.Fault?, _ state: inout State
  ) -> ResponseDelivery {
    let now = state.clock.now
    let applied = fault.map { AppliedFault(fault: $0, call: call, now: now) }
    let number = state.sockets.takeNumber()
    var server = server
    let (plain, thread) = open(number, for: call, as: vendor, fault, &server, at: now)
    let handled = applied?.instead ?? plain
    var delivery = applied?.delivery(of: handled.reply) ?? .answer(handled.reply)
    let opened = applied?.instead == nil ? thread : nil
    if let opened {
      delivery = delivery.opening(opened)
      state.file?.append(.openSocket(number, call), of: vendor, at: now)
      state.vendors[vendor] = server
      state.sockets.open(opened, for: call, as: vendor, at: now)
      if !delivery.opensSocket { close(number, &state) }
    }
    let alteration = applied.map { _ in EmulatorRequest.Alteration(of: plain.reply, by: delivery) }
    record(handled, to: call, as: vendor, applied, alteration, socket: opened?.number, &state)
    speak(vendor, &state)
    return delivery
  }

  /// Asks the vendor to open a socket. Without a thread there is none, and the vendor is as before.
  private func open(
    _ number: Int, for call: VendorRequest, as vendor: String, _ fault: EmulatorFaults.Fault?,
    _ server: inout any VendorServer, at now: Date
  ) -> (VendorAnswer, SocketThread?) {
    switch server.openSocket(number, for: call, at: now) {
    case .refused(let answer)?: return (answer, nil)
    case .accepted(let opening)?:
      guard let reply = SocketUpgrade.reply(to: call, subprotocols: opening.subprotocols) else {
        return (SocketUpgrade.refusal, nil)
      }
      let thread = try? SocketThread(
        number, fault: fault?.kind.isOfSocket == true ? fault : nil,
        hear: { [weak self] text in self?.hear(text, on: number) },
        end: { [weak self] in self?.state.withLock { state in self?.close(number, &state) } })
      guard let thread else { return (SocketUpgrade.exhaustion, nil) }
      return (
        VendorAnswer(reply: reply, effects: opening.effects, summary: opening.summary), thread
      )
    case nil: return (SocketUpgrade.refusal, nil)
    }
  }

  private func hear(_ text: String, on number: Int) {
    state.withLock { state in
      guard let entry = state.sockets[number], var server = state.vendors[entry.socket.vendor]
      else { return }
      let (now, vendor) = (state.clock.now, entry.socket.vendor)
      let hearing = server.hear(text, on: number, at: now)
      state.vendors[vendor] = server
      state.file?.append(.hear(text, on: number), of: vendor, at: now)
      state.sockets.received(on: number)
      state.record.append(
        EmulatorRequest(
          number: 0, time: now, vendor: vendor, method: EmulatorRequest.messageMethod,
          host: entry.host,
          credentials: [], path: entry.socket.path, status: nil, effects: hearing.effects,
          bytes: text.utf8.count, summary: hearing.summary, fault: nil, alteration: nil,
          socket: number))
      speak(vendor, &state)
    }
  }

  private func close(_ number: Int, _ state: inout State) {
    guard let socket = state.sockets.remove(number) else { return }
    state.vendors[socket.vendor]?.socketClosed(number, at: state.clock.now)
    state.file?.append(.socketClosed(number), of: socket.vendor, at: state.clock.now)
    speak(socket.vendor, &state)
  }

  /// Sends what a vendor has to say by now.
  private func speak(_ vendor: String, _ state: inout State) {
    guard let outputs = state.vendors[vendor]?.takeSocketOutput(at: state.clock.now) else { return }
    state.sockets.perform(outputs)
    plan(&state)
  }

  private func speakAll(_ state: inout State) {
    for vendor in state.vendors.keys.sorted() { speak(vendor, &state) }
  }

  /// Asks the timer to call back when the first vendor has something to say. A clock that stands
  /// still brings nothing by itself.
  private func plan(_ state: inout State) {
    guard let timer = state.timer, !state.clock.isStanding,
      let next = state.vendors.values.compactMap(\.nextMoment).min(),
      state.planned.map({ next < $0 }) ?? true
    else { return }
    state.planned = next
    // At least a millisecond, since the two clocks differ a little; at most a day, which is planned
    // anew.
    let delay = min(max(next.timeIntervalSince(state.clock.now), 0.001), 86_400)
    timer.after(.seconds(delay)) { [weak self] in
      self?.state.withLock { state in
        state.planned = nil
        self?.speakAll(&state)
      }
    }
  }

  /// Takes the timer that calls back; nil before the timer ends.
  func use(_ timer: TimerThread?) { state.withLock { $0.timer = timer } }

  var sockets: [EmulatorSocket] { state.withLock { $0.sockets.sockets } }

  /// Says a text on a socket as the vendor would. Throws `notFound` if it is closed.
  func say(_ text: String, on number: Int) throws(EngagementError) {
    let isOpen = state.withLock { $0.sockets.say(text, on: number) }
    if !isOpen { throw Self.noSocket(number) }
  }

  /// Gives an order to a socket. Throws `notFound` if it is closed.
  func order(_ order: SocketThread.Order, on number: Int) throws(EngagementError) {
    guard let entry = state.withLock({ $0.sockets[number] }) else { throw Self.noSocket(number) }
    entry.thread.order(order)
  }

  private static func noSocket(_ number: Int) -> EngagementError {
    EngagementError(.notFound, "There is no open web socket with the number \(number)")
  }

  /// The names of the headers that carry a credential.
  private func credentials(in call: VendorRequest) -> [String] {
    Set(call.headers.map(\.name)).intersection(credentialHeaders).sorted()
  }

  // MARK: What came

  func requests(after number: Int = 0) -> [EmulatorRequest] {
    state.withLock { $0.record.requests(after: number) }
  }
  func effects() -> [VendorEffect: Int] { state.withLock { $0.record.effects } }
  var count: Int { state.withLock { $0.record.count } }
  func clear() { state.withLock { $0.record.forget() } }

  // MARK: What happens

  var isOffline: Bool { state.withLock { $0.isOffline } }
  var now: Date { state.withLock { $0.clock.now } }
  var seed: UInt64 { state.withLock { $0.seed } }
  var faults: EmulatorFaults { state.withLock { $0.faults.script } }

  func setOffline(_ offline: Bool) {
    state.withLock { state in
      state.isOffline = offline
      if offline { state.sockets.order(.reset) }
    }
  }
  func advanceClock(by duration: Duration) { changeClock { $0.advance(by: duration) } }
  func setClock(to date: Date) { changeClock { $0.set(to: date) } }

  /// Lets another emulator have the file of the state.
  func closeState() { state.withLock { $0.file = nil } }

  private func changeClock(_ body: (inout VendorClock) -> Void) {
    state.withLock { state in
      body(&state.clock)
      state.file?.append(clockDifference: state.clock.difference)
      state.planned = nil
      speakAll(&state)
    }
  }

  func load(_ faults: EmulatorFaults) throws(EngagementError) {
    try faults.check(vendors: served)
    state.withLock { $0.faults = FaultPlan(faults, seed: $0.seed) }
  }

  func reset(seed: UInt64) {
    state.withLock { state in
      state.seed = seed
      state.record.forget()
      state.sockets.closeAll()
      state.file?.reset(seed: seed, at: state.clock.now)
      for name in state.vendors.keys {
        guard
          var server = VendorStart.server(
            name, among: registrations, seed: seed, at: state.clock.now)
        else { continue }
        VendorStart.fill(&server, of: name, to: itemCount, state.file, at: state.clock.now)
        state.vendors[name] = server
      }
    }
  }

  // MARK: What the vendors hold

  var vendors: [String] { state.withLock { $0.vendors.keys.sorted() } }

  /// Changes a vendor; throws `notFound` for one that was not started.
  @discardableResult
  func change(_ name: String, _ change: VendorChange) throws(EngagementError) -> JSON {
    try state.withLock { state throws(EngagementError) in
      let (answer, now) = try Self.with(name, in: &state) { vendor, now throws(EngagementError) in
        (try change.apply(to: &vendor, at: now), now)
      }
      state.file?.append(change, of: name, at: now)
      speak(name, &state)
      return answer
    }
  }

  /// Does something with a vendor; throws `notFound` for one that was not started.
  func withVendor<Value: Sendable>(
    _ name: String,
    _ body: (inout any VendorServer, Date) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    try state.withLock { state throws(EngagementError) in
      try Self.with(name, in: &state, body)
    }
  }

  private static func with<Value>(
    _ name: String, in state: inout State,
    _ body: (inout any VendorServer, Date) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    guard var vendor = state.vendors[name] else {
      throw EngagementError(
        .notFound,
        "The vendor \"\(name)\" is not started\(NearestName.hint(for: name, among: state.vendors.keys.sorted()))"
      )
    }
    defer { state.vendors[name] = vendor }
    return try body(&vendor, state.clock.now)
  }
}
