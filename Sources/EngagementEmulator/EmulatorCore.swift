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
        var server = Self.server(name, among: registrations, seed: seed, at: file?.start ?? now)
      else { continue }
      for entry in file?.entries ?? [] where entry.vendor == name {
        // What was refused then is refused again.
        _ = try? entry.change.apply(to: &server, at: entry.time)
      }
      Self.fill(&server, of: name, to: itemCount, file, at: state.clock.now)
      state.vendors[name] = server
    }
    self.state = Locked(state)
  }

  /// Adds made-up items until there are so many, or as many as the vendor takes. The file keeps them,
  /// so that their ids stay the same.
  private static func fill(
    _ server: inout any VendorServer, of name: String, to count: Int, _ file: StateFile?,
    at now: Date
  ) {
    var number = server.items.count
    while number < count, let item = type(of: server).madeUpItem(number, at: now) {
      let change = VendorChange.put(item)
      guard (try? change.apply(to: &server, at: now)) != nil else { return }
      file?.append(change, of: name, at: now)
      number += 1
    }
  }

  private static func server(
    _ name: String, among registrations: [VendorRegistration], seed: UInt64, at now: Date
  ) -> (any VendorServer)? {
    registrations.first { $0.name == name }?.server?.init(seed: seed, at: now)
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
    let fault = state.faults.next(for: call, to: vendor)
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
    state.record.append(
      EmulatorRequest(
        number: 0, time: now, vendor: vendor, method: call.method,
        host: call.header("Host") ?? "", credentials: credentials(in: call), path: call.path,
        status: applied?.hidesAnswer == true ? nil : handled.reply.status,
        effects: handled.effects, bytes: call.body.count,
        summary: handled.summary, fault: fault?.kind.name, alteration: alteration))
    return delivery
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

  func setOffline(_ offline: Bool) { state.withLock { $0.isOffline = offline } }
  func advanceClock(by duration: Duration) { changeClock { $0.advance(by: duration) } }
  func setClock(to date: Date) { changeClock { $0.set(to: date) } }

  /// Lets another emulator have the file of the state.
  func closeState() { state.withLock { $0.file = nil } }

  private func changeClock(_ body: (inout VendorClock) -> Void) {
    state.withLock { state in
      body(&state.clock)
      state.file?.append(clockDifference: state.clock.difference)
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
      state.file?.reset(seed: seed, at: state.clock.now)
      for name in state.vendors.keys {
        guard
          var server = Self.server(name, among: registrations, seed: seed, at: state.clock.now)
        else { continue }
        Self.fill(&server, of: name, to: itemCount, state.file, at: state.clock.now)
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
