import CCurl
import EngagementModel
import EngagementPlatform

/// A set of transfers and their connections, in libcurl.
@safe final class MultiHandle {
  /// The most connections at one time; further transfers wait for one. By default, a process may
  /// have only 256 open files.
  private static let connections = 64

  private let raw: UnsafeMutableRawPointer
  private let poller: Poller
  /// The same clock as libcurl's.
  private let clock = SuspendingClock()
  /// When libcurl wants a call even if no socket has events.
  private(set) var alarm: SuspendingClock.Instant?
  /// The events to watch for, by socket. A socket with no events stays registered until one
  /// happens: a kept connection is usually reused before.
  private var wanted: [Int32: UInt32] = [:]

  init(_ poller: Poller) throws(EngagementError) {
    self.poller = poller
    guard Self.isGloballyReady, let raw = unsafe curl_multi_init() else {
      throw EngagementError(.internalFailure, "libcurl could not start: there is no memory.")
    }
    unsafe self.raw = raw
    // Keep every connection for reuse. By default, libcurl keeps only four per running transfer and
    // closes the others.
    for option in [CURLMOPT_MAXCONNECTS, CURLMOPT_MAX_TOTAL_CONNECTIONS] {
      try Self.check(unsafe ccurl_multi_set_number(raw, option, Self.connections))
    }
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    try Self.check(unsafe ccurl_multi_set_callbacks(raw, wantSocket, wantAlarm, own))
  }

  deinit {
    // The callbacks would use an object that is being freed.
    unsafe ccurl_multi_set_callbacks(raw, nil, nil, nil)
    unsafe curl_multi_cleanup(raw)
  }

  private static let isGloballyReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Adds a transfer. It starts at the next `act(on:)`.
  func add(_ easy: EasyHandle) throws(EngagementError) {
    try Self.check(unsafe curl_multi_add_handle(raw, easy.raw))
  }

  func remove(_ easy: EasyHandle) { unsafe curl_multi_remove_handle(raw, easy.raw) }

  /// The owner of a handle that has ended, or has only connected, and the result. All handles of one
  /// multi handle have owners of one type.
  func nextDone<Owner: AnyObject>(_: Owner.Type) -> (owner: Owner, code: CURLcode)? {
    var code = CURLE_OK
    var owner: UnsafeMutableRawPointer?
    guard let easy = unsafe ccurl_multi_next_done(raw, &code),
      unsafe ccurl_get_pointer(easy, CURLINFO_PRIVATE, &owner) == CURLE_OK,
      let owner = unsafe owner
    else { return nil }
    // The driver retains the owner as long as its handle is in the multi handle.
    return (unsafe Unmanaged<Owner>.fromOpaque(owner).takeUnretainedValue(), code)
  }

  /// Watches a connection that libcurl has only made; no events for not at all. Without a watch, the
  /// system would go on telling that the peer is gone.
  func watch(_ socket: Int32, _ events: UInt32) {
    if events == 0 {
      _ = poller.register(socket, 0, EPOLL_CTL_DEL)
    } else if !poller.register(socket, events, EPOLL_CTL_MOD) {
      _ = poller.register(socket, events, EPOLL_CTL_ADD)
    }
  }

  /// Handles the events of sockets, and the alarm if it is due.
  func act(on news: [Poller.News]) {
    for piece in news {
      if wanted[piece.socket, default: 0] == 0 {
        wanted[piece.socket] = nil
        _ = poller.register(piece.socket, 0, EPOLL_CTL_DEL)
      } else {
        act(piece.socket, piece.events)
      }
    }
    guard let alarm, alarm <= clock.now else { return }
    self.alarm = nil
    act(CURL_SOCKET_BAD, 0)
  }

  /// Whether libcurl waits for events of the socket.
  func wants(_ socket: Int32) -> Bool { wanted[socket, default: 0] != 0 }

  private func act(_ socket: curl_socket_t, _ events: UInt32) {
    var running: Int32 = 0
    var mask: Int32 = 0
    if events & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
    if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
    if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
    unsafe curl_multi_socket_action(raw, socket, mask, &running)
  }

  fileprivate func want(_ direction: Int32, of socket: curl_socket_t) {
    var events: UInt32 = 0
    if direction == CURL_POLL_IN || direction == CURL_POLL_INOUT { events |= EPOLLIN.rawValue }
    if direction == CURL_POLL_OUT || direction == CURL_POLL_INOUT { events |= EPOLLOUT.rawValue }
    let known = wanted.updateValue(events, forKey: socket)
    // A closed socket is no longer registered, although its number is still known here.
    if events != 0 && (known == nil || !poller.register(socket, events, EPOLL_CTL_MOD)) {
      _ = poller.register(socket, events, EPOLL_CTL_ADD)
    }
  }

  fileprivate func setAlarm(in milliseconds: Int) {
    alarm = milliseconds < 0 ? nil : clock.now.advanced(by: .milliseconds(milliseconds))
  }

  private static func check(_ code: CURLMcode) throws(EngagementError) {
    guard code == CURLM_OK else {
      throw EngagementError(
        .internalFailure, "libcurl can't take the request: it is out of memory.",
        underlying: "curl multi \(code.rawValue)")
    }
  }
}

// The context is the multi handle itself, which removes these callbacks in its `deinit`.

private let wantSocket: curl_socket_callback = { _, socket, direction, context, _ in
  if let context = unsafe context {
    unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
      .want(direction, of: socket)
  }
  return 0
}

private let wantAlarm: curl_multi_timer_callback = { _, milliseconds, context in
  if let context = unsafe context {
    unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
      .setAlarm(in: milliseconds)
  }
  return 0
}
