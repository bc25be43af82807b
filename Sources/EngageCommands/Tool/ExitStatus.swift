/// How the process ends; the numbers are part of the interface.
public enum ExitStatus: Int32, Hashable, Sendable {
  /// All was done, or is accepted and will be.
  case done = 0
  /// Something failed, also where the rest was done.
  case failed = 1
  /// The command line was not understood.
  case usage = 64
  /// Ctrl-C, SIGTERM or SIGHUP ended it before it was done. What was accepted before is not lost.
  case interrupted = 130
  /// The reader closed the pipe before the output ended.
  case closedPipe = 141
}
