import EngagementCurl
import EngagementModel
import EngagementPlatform

extension CommandContext {
  /// The process's own.
  public static func process() -> CommandContext {
    // Writing into a closed pipe or socket is an error like any other, not the end.
    signal(SIGPIPE, SIG_IGN)
    // A limit on the size of files is an error of the write, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    let environment: Environment = { name in getenv(name).map { String(cString: $0) } }
    return CommandContext(
      terminal: .process(environment: environment), environment: environment,
      directory: workingDirectory,
      input: { () throws(EngagementError) in
        try InputFile.bytes(of: STDIN_FILENO, atMost: 64 << 20)
      },
      confirmation: asksOnTerminal ? ask : nil,
      transport: { authorities in
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorities = authorities
        return CurlTransport(configuration)
      },
      interruption: { await Interrupts.ofProcess.wait() })
  }

  private static var asksOnTerminal: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  }

  private static func ask(_ question: String) -> Bool {
    let bytes = Array(question.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }
}
