public import Foundation
import Synchronization

/// A program that runs beside the tests. It is killed with its last reference, and after some minutes, so
/// that no test waits for it forever.
///
/// Foundation's `Process` does not always learn that a program has ended.
public final class ChildProcess: Sendable {
  public enum Stream: Sendable {
    case null, inherited, pipe
    /// A pipe whose other end is closed.
    case closedPipe
    case file(String)
  }

  public struct Ending: Hashable, Sendable {
    /// The status as in a shell: 128 plus the signal's number after a signal.
    public let status: Int32
    /// Whether no signal ended it.
    public let endedItself: Bool
  }

  public struct Failure: Error {
    public let path: String
    public let reason: String
  }

  public let id: pid_t
  /// Our ends of the pipes.
  public let (input, output, errors): (FileHandle?, FileHandle?, FileHandle?)
  /// How it ended, once that is known.
  private let ending = Mutex<Ending?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - environment: What differs from the environment of the tests.
  ///   - minutes: After how many it is killed.
  public init(
    _ path: String, _ arguments: [String] = [], in folder: URL? = nil,
    environment: [String: String] = [:], input: Stream = .null, output: Stream = .null,
    errors: Stream = .inherited, minutes: Double = 5
  ) throws {
    var spawn = Spawn()
    defer { spawn.end() }
    self.input = try spawn.connect(0, input)
    self.output = try spawn.connect(1, output)
    self.errors = try spawn.connect(2, errors)
    let own = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
    id = try spawn.start(path, arguments, in: folder?.path, own.map { "\($0)=\($1)" })
    DispatchQueue.global().asyncAfter(deadline: .now() + minutes * 60) { [weak self] in
      self?.signal(SIGKILL)
    }
  }

  deinit { kill() }

  /// Runs a program to its end, and gives what it prints.
  public static func run(
    _ path: String, _ arguments: [String], in folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> (ending: Ending, text: String) {
    let process = try ChildProcess(
      path, arguments, in: folder, environment: environment, output: .pipe)
    let text = try process.text()
    return (process.wait(), text)
  }

  /// What it prints until it ends.
  public func text() throws -> String {
    String(decoding: try output?.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// The next line that it prints; nil where it ends without one.
  public func line() throws -> String? {
    var bytes: [UInt8] = []
    while let byte = try output?.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Sends a signal, unless it is known to have ended.
  public func signal(_ number: Int32) {
    ending.withLock { if $0 == nil { _ = Foundation.kill(id, number) } }
  }

  /// Presses Ctrl-C.
  public func interrupt() { signal(SIGINT) }

  /// Kills it, and waits for its end.
  public func kill() {
    signal(SIGKILL)
    wait()
  }

  /// Waits for its end.
  @discardableResult
  public func wait() -> Ending {
    // A zombie keeps its number until it is fetched under the lock, so that no signal strikes another.
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      let found = Ending(
        status: signal == 0 ? status >> 8 & 0xff : 128 + signal, endedItself: signal == 0)
      ending = found
      return found
    }
  }
}

/// What a program is started with.
private struct Spawn {
  private var actions = posix_spawn_file_actions_t()
  private var theirEnds: [Int32] = []

  init() { posix_spawn_file_actions_init(&actions) }

  mutating func end() {
    for end in theirEnds { close(end) }
    posix_spawn_file_actions_destroy(&actions)
  }

  /// Connects a stream, and gives our end of its pipe.
  mutating func connect(
    _ descriptor: Int32, _ stream: ChildProcess.Stream
  ) throws -> FileHandle? {
    let isInput = descriptor == 0
    switch stream {
    case .inherited: return nil
    case .null:
      posix_spawn_file_actions_addopen(
        &actions, descriptor, "/dev/null", isInput ? O_RDONLY : O_WRONLY, 0)
      return nil
    case .file(let path):
      posix_spawn_file_actions_addopen(
        &actions, descriptor, path, isInput ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND, 0o600)
      return nil
    case .pipe, .closedPipe:
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        throw ChildProcess.Failure(path: "a pipe", reason: reason(errno))
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let (theirs, ours) = isInput ? (ends[0], ends[1]) : (ends[1], ends[0])
      theirEnds.append(theirs)
      posix_spawn_file_actions_adddup2(&actions, theirs, descriptor)
      guard case .pipe = stream else {
        close(ours)
        return nil
      }
      return FileHandle(fileDescriptor: ours, closeOnDealloc: true)
    }
  }

  mutating func start(
    _ path: String, _ arguments: [String], in folder: String?, _ environment: [String]
  ) throws -> pid_t {
    if let folder {
      let change: Folder? = Self.function("posix_spawn_file_actions_addchdir_np")
      _ = change?(&actions, folder)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      // A descriptor of another test would keep that test's pipe open.
      let close: First? = Self.function("posix_spawn_file_actions_addclosefrom_np")
      _ = close?(&actions, 3)
    #endif
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let status = posix_spawn(&id, path, &actions, &attributes, &words, &variables)
    guard status == 0 else { throw ChildProcess.Failure(path: path, reason: reason(status)) }
    return id
  }

  private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>
  private typealias Folder = @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
  private typealias First = @convention(c) (Actions, Int32) -> Int32

  /// A function of the C library that its headers show to GNU programs only.
  private static func function<Function>(_ name: String) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
  }
}

private func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
