public import EngagementHTTP
public import EngagementModel
public import EngagementVendors

/// The vendors' servers on this machine: stateful, seeded, and as faulty as a script wants.
///
/// One port a vendor, with the vendor's own paths, so that a real client can talk to it; one more
/// port for control, under `/_emulator/`, for clients with the token. All of them listen on
/// 127.0.0.1 alone and refuse a request whose `Host` or `Origin` names another place.
///
/// ```swift
/// let emulator = try await Emulator.start(.init([.braze]))
/// let url = emulator.endpoint(of: "braze")
/// // … a client talks to it …
/// let clicks = await emulator.times("ccc", of: "the card's id")
/// await emulator.stop()
/// ```
///
/// The emulator lives until `stop()`, or until it is deallocated.
public final class Emulator: Sendable {
  /// What the control interface asks for as `Authorization: Bearer …`: 256 random bits.
  public let controlToken: Secret

  let core: EmulatorCore
  private let listeners: ListenerGroup

  private init(core: EmulatorCore, listeners: ListenerGroup, token: Secret) {
    self.core = core
    self.listeners = listeners
    controlToken = token
  }

  deinit { listeners.close() }

  /// Starts the servers; they answer when this returns.
  ///
  /// Throws `invalidConfiguration` for a vendor that there is no server for, naming the nearest,
  /// and `unavailable` for a port that cannot be had, saying which and what to do.
  public static func start(
    _ configuration: Configuration
  ) async throws(EngagementError) -> Emulator {
    try configuration.check()
    let token = ControlToken.fresh()
    let core = try EmulatorCore(configuration)
    let listeners = try ListenerGroup(configuration, core: core, token: token)
    return Emulator(core: core, listeners: listeners, token: token)
  }

  /// Where a vendor's server listens, such as `http://127.0.0.1:8400`; empty for a vendor that
  /// was not started.
  public func endpoint(of vendor: String) -> String { listeners.endpoint(of: vendor) ?? "" }

  /// Where the control interface listens, such as `http://127.0.0.1:8409`.
  public var controlEndpoint: String { listeners.endpoint(of: ListenerGroup.control) ?? "" }

  /// Stops the servers. Requests in flight are broken off; when this returns, nothing listens.
  /// Safe to call twice.
  public func stop() async {
    await listeners.stop()
    core.closeState()
  }
}

// MARK: What came

extension Emulator {
  /// What the vendors were asked, in order: of the last 100,000 requests those with a higher
  /// number than this.
  public func requests(after number: Int = 0) async -> [EmulatorRequest] {
    core.requests(after: number)
  }

  /// How often each effect happened since the start, however many requests are remembered.
  public func effects() async -> [VendorEffect: Int] { core.effects() }

  /// How often something happened, such as `ccd` (Braze: a card was dismissed), to one subject or
  /// to any, by one user or by any.
  public func times(
    _ name: String, of subject: String? = nil, by user: String? = nil
  ) async -> Int {
    core.effects().filter { effect, _ in
      effect.name.hasSameBytes(as: name)
        && (subject.map { effect.subject.hasSameBytes(as: $0) } ?? true)
        && (user.map { effect.user.hasSameBytes(as: $0) } ?? true)
    }.values.reduce(0, +)
  }

  /// Forgets the requests and effects; what the vendors know stays.
  public func clear() async { core.clear() }
}

// MARK: What happens to the vendors

extension Emulator {
  /// While offline, every vendor's port answers by resetting connections, the open ones too. The
  /// control port goes on.
  public func setOffline(_ offline: Bool) async {
    core.setOffline(offline)
    if offline { listeners.resetVendors() }
  }

  /// Replaces the fault script; its counts begin anew. Throws `invalidConfiguration` for a fault
  /// of a vendor that the emulator does not know.
  public func load(_ faults: EmulatorFaults) async throws(EngagementError) {
    try core.load(faults)
  }

  /// Moves the vendors' clock on; a negative duration moves it back.
  public func advanceClock(by duration: Duration) async { core.advanceClock(by: duration) }

  /// Lets a vendor refuse every credential and token that was used so far.
  public func expireCredentials(of vendor: String) async throws(EngagementError) {
    try core.change(vendor, .expireCredentials)
  }

  /// Puts every vendor back to what the seed gives and closes the web sockets. What came is
  /// forgotten too.
  public func reset(seed: UInt64) async { core.reset(seed: seed) }
}

// MARK: Web sockets

extension Emulator {
  /// The open web sockets of a vendor, or of all, in the order in which they were opened.
  public func sockets(of vendor: String? = nil) async -> [EmulatorSocket] {
    core.sockets.filter { vendor == nil || $0.vendor == vendor }
  }

  /// Says a text on a web socket, as the vendor would. Throws `notFound` for a socket that is closed.
  public func say(_ text: String, on socket: Int) async throws(EngagementError) {
    try core.say(text, on: socket)
  }

  /// Closes a web socket; without a close, its connection breaks. Throws `notFound` for a socket that
  /// is closed.
  public func drop(_ socket: Int, with close: SocketClose? = nil) async throws(EngagementError) {
    try core.order(close.map { .close($0) } ?? .drop, on: socket)
  }

  /// Lets a web socket go silent: nothing is read, written or answered any more, and the connection
  /// stays. Throws `notFound` for a socket that is closed.
  public func silence(_ socket: Int) async throws(EngagementError) {
    try core.order(.silence, on: socket)
  }
}

// MARK: What the vendors hold

extension Emulator {
  /// What a marketer would see of a vendor's items, in the vendor's own form, in order.
  public func items(of vendor: String) async throws(EngagementError) -> [JSON] {
    try core.withVendor(vendor) { vendor, _ throws(EngagementError) in vendor.items }
  }

  /// Adds an item, or changes the members that are given of one that is there, and returns it as
  /// it is now. Throws `invalidArgument` for what the vendor could not have.
  @discardableResult
  public func put(_ item: JSON, in vendor: String) async throws(EngagementError) -> JSON {
    try core.change(vendor, .put(item))
  }

  /// Takes an item away from everyone; false where there was none of that id.
  @discardableResult
  public func remove(_ id: String, from vendor: String) async throws(EngagementError) -> Bool {
    try core.change(vendor, .remove(id)) == true
  }

  /// What a device would be handed for a push: `title`, `body`, `url`, `item` (the id of an item
  /// that travels with it), `silent` and `platform` (`apns` or `fcm`) are understood.
  public func push(_ message: JSON, from vendor: String) async throws(EngagementError) -> JSON {
    try core.change(vendor, .push(message))
  }

  /// Changes how a vendor behaves; the README of each vendor's adapter lists its settings.
  /// Throws `invalidArgument` naming the setting that is wrong.
  public func configure(_ vendor: String, _ settings: JSON) async throws(EngagementError) {
    try core.change(vendor, .configure(settings))
  }
}
