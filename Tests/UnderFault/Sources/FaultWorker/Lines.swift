import Foundation
import Glibc

/// Says a line on standard output, whole and at once: what was said before a kill was said.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  // One call, past the buffers of the C library: the driver and the recorder see it in its place.
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Ends the process as a wrong use does.
func refuse(_ reason: String) -> Never {
  _ = write(STDERR_FILENO, reason + "\n", reason.utf8.count + 1)
  exit(64)
}

/// Ends the process with whoever started it: a worker that is left behind would go on for ever.
func endWithDriver() {
  Thread.detachNewThread {
    while readLine() != nil {}
    // At once, as the kill that it stands for.
    _exit(1)
  }
}
