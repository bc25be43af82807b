#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the body on a thread of its own that nobody joins: what it waits for holds up nobody of
/// Swift's shared pool.
///
/// - Parameter purpose: What has no thread otherwise, as people call it.
package func detachThread(
  for purpose: String, _ body: @escaping @Sendable () -> Void
) throws(EngagementError) {
  let own = Unmanaged.passRetained(ThreadBody(run: body))
  var thread = pthread_t(bitPattern: 0)
  let code = pthread_create(&thread, nil, threadMain, own.toOpaque())
  guard code == 0 else {
    own.release()
    throw EngagementError(
      .internalFailure, "There is no thread for \(purpose): the system has too many.",
      underlying: "errno \(code)")
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

// At file scope: formed in an actor's context, it would check for that actor and trap.
#if canImport(Darwin)
  private let threadMain: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
    // The reference that `detachThread` handed over.
    Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run()
    return nil
  }
#else
  private let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    // As above.
    if let own = $0 { Unmanaged<ThreadBody>.fromOpaque(own).takeRetainedValue().run() }
    return nil
  }
#endif
