import EngagementPlatform

extension Terminal {
  /// The process's own standard output and error.
  ///
  /// Tables fit `COLUMNS`, or else the terminal; where results go to a file or a pipe nothing is
  /// cut. `NO_COLOR` and a `TERM` of `dumb` are honoured.
  public static func process(environment: CommandContext.Environment) -> Terminal {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let isPlain = environment("NO_COLOR")?.isEmpty == false || environment("TERM") == "dumb"
    return Terminal(
      output: { (bytes) throws(OutputError) in try write(bytes, to: STDOUT_FILENO) },
      errors: { (bytes) throws(OutputError) in try write(bytes, to: STDERR_FILENO) },
      width: environment("COLUMNS").flatMap(columns(in:)) ?? (isTerminal ? terminalWidth : nil),
      isColoured: isTerminal && !isPlain,
      showsProgress: isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb",
      hasReader: { hasReader(STDOUT_FILENO) })
  }

  private static func columns(in text: String) -> Int? {
    Int(text).flatMap { (1...10_000).contains($0) ? $0 : nil }
  }

  private static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes all of it, however many calls that takes.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EINTR || errno == EAGAIN {
        if errno == EAGAIN { waitToWrite(descriptor) }
      } else {
        throw errno == EPIPE ? OutputError.closedPipe : OutputError.refused(reason(of: errno))
      }
    }
  }

  private static func reason(of code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  /// Whether the other end of a pipe is open. Anything but a pipe has no end that could close.
  private static func hasReader(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&request, 1, 0) <= 0 || request.revents & Int16(POLLERR) == 0
  }

  /// Somebody else has set the descriptor not to block.
  private static func waitToWrite(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    poll(&request, 1, -1)
  }
}

// A name of its own: inside `Terminal`, `write` is the function above.
private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}
