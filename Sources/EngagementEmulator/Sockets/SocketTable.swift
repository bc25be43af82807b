import EngagementHTTP
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// The open sockets of all vendors.
struct SocketTable: Sendable {
  struct Entry: Sendable {
    var socket: EmulatorSocket
    var host: String
    var thread: SocketThread
  }

  private var entries: [Int: Entry] = [:]
  private(set) var lastNumber = 0

  /// The number of a new socket.
  mutating func takeNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  subscript(number: Int) -> Entry? { entries[number] }

  /// The open sockets in order.
  var sockets: [EmulatorSocket] { entries.values.map(\.socket).sorted { $0.number < $1.number } }

  /// Adds a socket that a request opened.
  mutating func open(
    _ thread: SocketThread, for call: VendorRequest, as vendor: String, at now: Date
  ) {
    let socket = EmulatorSocket(
      number: thread.number, vendor: vendor, path: call.path, openedAt: now)
    entries[thread.number] = Entry(
      socket: socket, host: call.header("Host") ?? "", thread: thread)
  }

  /// Removes a socket and returns it; nil if it was removed before.
  mutating func remove(_ number: Int) -> EmulatorSocket? {
    entries.removeValue(forKey: number)?.socket
  }

  /// Removes all sockets and closes them.
  mutating func closeAll() {
    order(.close(.goingAway))
    entries = [:]
  }

  /// Counts a text that a client has sent.
  mutating func received(on number: Int) { entries[number]?.socket.received += 1 }

  /// Says a text; false if the socket is closed.
  mutating func say(_ text: String, on number: Int) -> Bool {
    guard let entry = entries[number] else { return false }
    entries[number]?.socket.sent += 1
    entry.thread.order(.say(text))
    return true
  }

  /// Does what a vendor wants on its sockets.
  mutating func perform(_ outputs: [VendorSocketOutput]) {
    for output in outputs {
      switch output.action {
      case .say(let text): _ = say(text, on: output.socket)
      case .close(let close): entries[output.socket]?.thread.order(.close(close))
      }
    }
  }

  /// Gives an order to all sockets.
  func order(_ order: SocketThread.Order) {
    for entry in entries.values { entry.thread.order(order) }
  }
}
