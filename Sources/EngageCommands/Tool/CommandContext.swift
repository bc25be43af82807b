public import EngagementHTTP
public import EngagementKit
public import EngagementModel
import EngagementPlatform

/// Everything outside of the process that a command may touch, so that tests are context too.
public struct CommandContext: Sendable {
  public var terminal: Terminal
  public var environment: Environment
  /// What relative paths start from.
  public var directory: String
  /// All of standard input.
  public var input: @Sendable () throws(EngagementError) -> [UInt8]
  /// Asks a question on the terminal and tells whether the answer is yes; nil without a terminal.
  public var confirmation: (@Sendable (String) -> Bool)?
  /// Makes what vendors are reached by; asked when the first request is sent. It is handed the path
  /// of a file of certificate authorities to trust beside the system's, where one is configured.
  public var transport: @Sendable (String?) -> any HTTPTransport
  public var clock: any EngagementClock
  /// How long a command waits until something is delivered: what takes longer is delivered by the
  /// next one that runs.
  public var patience: Duration
  /// Gives 64 random bits.
  public var random: @Sendable () -> UInt64
  /// Returns when Ctrl-C was pressed, or when the task is cancelled. A second Ctrl-C ends the
  /// process at once.
  public var interruption: @Sendable () async -> Void

  /// The value of a variable; nil where it is not set.
  public typealias Environment = @Sendable (String) -> String?

  public init(
    terminal: Terminal, environment: @escaping Environment, directory: String,
    input: @escaping @Sendable () throws(EngagementError) -> [UInt8] = {
      () throws(EngagementError) in []
    },
    confirmation: (@Sendable (String) -> Bool)? = nil,
    transport: @escaping @Sendable (String?) -> any HTTPTransport,
    clock: any EngagementClock = Engagement.SystemClock(), patience: Duration = .seconds(5),
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    interruption: @escaping @Sendable () async -> Void
  ) {
    self.terminal = terminal
    self.environment = environment
    self.directory = directory
    self.input = input
    self.confirmation = confirmation
    self.transport = transport
    self.clock = clock
    self.patience = patience
    self.random = random
    self.interruption = interruption
  }

  /// The path from the working directory, or the path itself where it is absolute.
  func path(_ path: String) -> String { Self.joined(directory, path) }

  /// The folder of a file.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Resolves a path as a shell does: from the folder, or from $HOME after `~/`.
  static func joined(_ folder: String, _ path: String) -> String {
    if path == "~" || path.hasPrefix("~/"), let home = getenv("HOME").map({ String(cString: $0) }),
      home.hasPrefix("/")
    {
      return home + path.dropFirst()
    }
    if path.hasPrefix("/") { return path }
    return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }
}
