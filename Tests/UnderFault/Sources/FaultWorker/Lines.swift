import Foundation
import Glibc

/// Prints a whole line on standard output at once, so that a later kill cannot lose it.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  // One call without the C library's buffers, so that the driver and the recorder see its order.
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Ends the process with a usage error.
func refuse(_ reason: String) -> Never {
  _ = write(STDERR_FILENO, reason + "\n", reason.utf8.count + 1)
  exit(64)
}

/// Ends the process when the driver ends; otherwise a worker would run forever.
func endWithDriver() {
  Thread.detachNewThread {
    while readLine() != nil {}
    // Without clean-up, as after a kill.
    _exit(1)
  }
}
