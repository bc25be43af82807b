import CCurl
import EngagementModel

/// The web sockets of one transport: passes on events and commands, and gives back what is over.
struct OpenSockets {
  /// One of their own: in that of the transfers, a request to the same server would wait until libcurl
  /// knows whether it can share the connection, and this it would never learn.
  private let multi: MultiHandle
  private var channels: [ObjectIdentifier: SocketChannel] = [:]
  /// Those that have a connection, by its descriptor.
  private var connected: [Int32: SocketChannel] = [:]
  /// What the descriptors are watched for.
  private var watched: [Int32: UInt32] = [:]

  init(_ poller: Poller) throws(EngagementError) { multi = try MultiHandle(poller) }

  /// Whether none is left, not even one that only waits for its peer's end.
  var isEmpty: Bool { channels.isEmpty }

  /// Whether one of them has to be read again although its descriptor may show nothing.
  var hasMore: Bool { connected.values.contains(where: \.hasMore) }

  /// When one of them has to be looked at even if nothing happens.
  var alarm: SuspendingClock.Instant? {
    (channels.values.compactMap(\.deadline) + [multi.alarm].compactMap(\.self)).min()
  }

  mutating func add(_ channel: SocketChannel) throws(EngagementError) {
    try multi.add(channel.easy)
    channels[ObjectIdentifier(channel.ticket)] = channel
  }

  /// Takes over a connection that was made, or the reason why it was not.
  private mutating func connect(_ channel: SocketChannel, _ code: CURLcode) {
    channel.connect(code)
    if let descriptor = channel.descriptor { connected[descriptor] = channel }
    tend(channel)
  }

  mutating func take(_ command: CurlDriver.SocketCommand, of ticket: Ticket) {
    guard let channel = channels[ObjectIdentifier(ticket)] else {
      if case .send(_, let sender) = command { sender.resume(returning: .failure(Self.closed)) }
      return
    }
    switch command {
    case .send(let message, let sender): channel.send(message, sender)
    case .close(let close): channel.close(close)
    case .read: channel.pump()
    }
    tend(channel)
  }

  mutating func abandon(_ ticket: Ticket, _ error: EngagementError) {
    guard let channel = channels[ObjectIdentifier(ticket)] else { return }
    channel.abandon(error)
    tend(channel)
  }

  mutating func abandonAll(_ error: EngagementError) {
    for channel in channels.values { abandon(channel.ticket, error) }
  }

  /// Handles events and what is due, and returns the events of others.
  mutating func act(on news: [Poller.News]) -> [Poller.News] {
    guard !channels.isEmpty else { return news }
    var busy = connected.filter(\.value.hasMore)
    var (connecting, others): ([Poller.News], [Poller.News]) = ([], [])
    for piece in news {
      if let channel = connected[piece.socket] {
        busy[piece.socket] = channel
      } else if multi.wants(piece.socket) {
        connecting.append(piece)
      } else {
        others.append(piece)
      }
    }
    multi.act(on: connecting)
    while let (channel, code) = multi.nextDone(SocketChannel.self) { connect(channel, code) }
    for channel in busy.values {
      channel.pump()
      tend(channel)
    }
    let now = SuspendingClock.now
    for channel in channels.values where channel.deadline.map({ $0 <= now }) ?? false {
      channel.expire()
      tend(channel)
    }
    return others
  }

  /// Watches what the channel waits for, or gives it back.
  private mutating func tend(_ channel: SocketChannel) {
    guard !channel.isOver else { return remove(channel) }
    guard let descriptor = channel.descriptor else { return }
    let interest = channel.interest
    if watched.updateValue(interest, forKey: descriptor) != interest {
      multi.watch(descriptor, interest)
    }
  }

  private mutating func remove(_ channel: SocketChannel) {
    channels[ObjectIdentifier(channel.ticket)] = nil
    if let descriptor = channel.descriptor {
      connected[descriptor] = nil
      watched[descriptor] = nil
      multi.watch(descriptor, 0)
    }
    // This closes the connection.
    multi.remove(channel.easy)
  }

  static let closed = EngagementError(.unavailable, "The web socket is closed.")
}
