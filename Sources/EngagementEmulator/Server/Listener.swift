import CMicrohttpd
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// One port: libmicrohttpd on a thread of its own.
///
/// `prepareToStop`, the timer's jobs, the end of all sockets, then `stop`: the library aborts the
/// process when it is stopped while a connection is suspended.
// The daemon's address is used by `stop` alone, which is called once.
@safe final class Listener: @unchecked Sendable {
  let port: Int
  private let handler: RequestHandler
  private let daemon: OpaquePointer

  init(
    port: Int, name: String, timer: TimerThread, sockets: SocketGroup,
    answer: @escaping @Sendable (VendorRequest) -> ResponseDelivery
  ) throws(EngagementError) {
    let (socket, port) = try LoopbackSocket.listening(on: port, for: name)
    self.port = port
    handler = RequestHandler(timer: timer, sockets: sockets, answer: answer)
    let context = unsafe Unmanaged.passRetained(handler)
    let started = unsafe microhttpd_start(
      socket, 128 << 10, 60, onCall, onCompleted, onConnection, onTarget, context.toOpaque())
    guard let daemon = unsafe started else {
      unsafe context.release()
      close(socket)
      throw EngagementError(.internalFailure, "The HTTP library does not start for \(name)")
    }
    unsafe self.daemon = daemon
  }

  /// Resets every connection that is open.
  func resetAll() { handler.resetAll() }

  /// From now on no request waits for anything.
  func prepareToStop() { handler.prepareToStop() }

  /// Ends the library's thread and closes the port.
  func stop() {
    unsafe MHD_stop_daemon(daemon)
    // No call-back comes any more, so the reference that they used goes.
    unsafe Unmanaged.passUnretained(handler).release()
  }
}

// MARK: What the library calls
// At file scope: formed in an actor's context, they would check for that actor and trap.

private let onTarget:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
    -> UnsafeMutableRawPointer? = { _, target, _ in
      // The library decodes the path that it passes on later, so a `%2F` in it would be lost.
      let text = unsafe target.map { unsafe String(cString: $0) } ?? ""
      return unsafe Unmanaged.passRetained(PendingRequest(target: text)).toOpaque()
    }

private let onCompleted: MHD_RequestCompletedCallback = { _, _, context, _ in
  guard let pending = unsafe context?.pointee else { return }
  unsafe Unmanaged<PendingRequest>.fromOpaque(pending).release()
  unsafe context?.pointee = nil
}

private let onConnection: MHD_NotifyConnectionCallback = { context, connection, _, what in
  guard let context = unsafe context, let connection = unsafe connection else { return }
  let handler = unsafe Unmanaged<RequestHandler>.fromOpaque(context).takeUnretainedValue()
  let socket = unsafe microhttpd_socket(connection)
  if what == .CONNECTION_NOTIFY_STARTED { handler.opened(socket) } else { handler.closed(socket) }
}

private let onCall: MHD_AccessHandlerCallback = {
  context, connection, _, method, _, part, count, own in
  guard let context = unsafe context, let connection = unsafe connection,
    let pending = unsafe own?.pointee, let count = unsafe count, let method = unsafe method
  else { return .NO }
  let handler = unsafe Unmanaged<RequestHandler>.fromOpaque(context).takeUnretainedValue()
  let subject = unsafe Unmanaged<PendingRequest>.fromOpaque(pending).takeUnretainedValue()
  let isFirst = subject.state.withLock { state in
    defer { unsafe state.method = String(cString: method) }
    return state.method == nil
  }
  if isFirst { return .YES }
  if unsafe count.pointee > 0 {
    unsafe subject.receive(
      UnsafeRawBufferPointer(start: part, count: count.pointee), limit: RequestHandler.bodyLimit)
    unsafe count.pointee = 0
    return .YES
  }
  return unsafe handler.serve(subject, HTTPConnection(connection))
}
