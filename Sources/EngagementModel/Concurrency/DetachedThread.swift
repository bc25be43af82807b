import EngagementPlatform

/// Runs the body on a new detached thread, so that a wait in it blocks no thread of Swift's shared
/// pool. Throws `internalFailure` if the system has no thread left.
///
/// - Parameter purpose: What the thread is for, in words for the error message.
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

// At file scope: a closure formed in an actor's context would check for that actor and trap.
#if canImport(Darwin)
  private let threadMain: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
    // Takes the reference that `detachThread` retained.
    Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().run()
    return nil
  }
#else
  private let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    // Takes the reference that `detachThread` retained.
    if let own = $0 { Unmanaged<ThreadBody>.fromOpaque(own).takeRetainedValue().run() }
    return nil
  }
#endif
