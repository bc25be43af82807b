import EngagementKit
import EngagementModel
public import EngagementVendors

/// The command line, from its words to its exit status.
public enum EngageTool {
  /// The version that `--version` prints.
  public static let version = Engagement.version

  /// Runs one command line, without the name of the program.
  ///
  /// - Parameter vendors: The vendors that the tool knows, in the order in which it lists them.
  public static func run(
    _ line: [String], vendors: [VendorRegistration], in context: CommandContext
  ) async -> ExitStatus {
    // Told from the words alone: a line that is not understood still gets its error as JSON.
    let isJSON = line.prefix { $0 != "--" }.contains { $0 == "--json" || $0 == "-j" }
    let console = Console(terminal: context.terminal, isJSON: isJSON)
    do {
      return try await run(line, vendors, console, context)
    } catch let error as UsageError {
      console.failure(error)
      return .usage
    } catch let error as OutputError {
      return console.status(after: error)
    } catch is CancellationError {
      return .interrupted
    } catch let error as EngagementError {
      if error.code == .cancelled, Task.isCancelled { return .interrupted }
      console.failure(error)
      return .failed
    } catch {
      console.note("engage: \(String(describing: error))")
      return .failed
    }
  }

  private static func run(
    _ line: [String], _ vendors: [VendorRegistration], _ console: Console,
    _ context: CommandContext
  ) async throws -> ExitStatus {
    let all = Command.all(for: vendors)
    switch try Parser.parse(line, among: all) {
    case .version:
      if console.isJSON {
        try console.object(["version": .string(version)])
      } else {
        try console.text("engage \(version)\n")
      }
      return .done
    case .help(let commands):
      try console.text(Help.page(of: commands, among: all))
      return .done
    case .run(let parsed):
      var console = console
      console.isJSON = parsed.values[Option.json.name] != nil
      let invocation = Invocation(parsed, vendors, console, context)
      do {
        guard parsed.command.isInterruptible else {
          return try await parsed.command.run(invocation)
        }
        return try await interruptible(invocation)
      } catch let error as EngagementError {
        throw invocation.credentials.explained(error)
      }
    }
  }

  /// Runs the command until it ends; Ctrl-C cancels it, and it still ends by itself.
  private static func interruptible(_ invocation: Invocation) async throws -> ExitStatus {
    try await withThrowingTaskGroup(of: ExitStatus?.self) { group in
      // Signals are waited for before the command begins.
      group.addImmediateTask {
        await invocation.context.interruption()
        return nil
      }
      group.addTask { try await invocation.command.run(invocation) }
      let first = try await group.next() ?? nil
      group.cancelAll()
      if let first { return first }
      do {
        // What runs until Ctrl-C is done by it.
        return try await group.next() == .done ? .done : .interrupted
      } catch let error as OutputError {
        return invocation.console.status(after: error)
      } catch {
        return .interrupted
      }
    }
  }
}

extension EngagementError {
  /// The error with a command as its next step, where the library names a call.
  var forPeople: EngagementError {
    var error = self
    if code == .consentDenied {
      error.message = "The user's consent does not allow this; see \"engage consent set --help\"."
    } else if code == .storage, isOfDamage {
      error.message += "; run \"engage cache repair\", which keeps its file."
    }
    return error
  }

  private var isOfDamage: Bool {
    ["SQLITE_CORRUPT", "SQLITE_NOTADB"].contains { underlying?.hasPrefix($0) == true }
  }
}

extension Console {
  /// How a command ends whose output could not be written.
  fileprivate func status(after error: OutputError) -> ExitStatus {
    switch error {
    case .closedPipe: return .closedPipe
    case .refused(let reason):
      failure(
        EngagementError(
          .storage, "The output cannot be written; what was done stays done.",
          underlying: reason))
      return .failed
    }
  }

  fileprivate func failure(_ error: UsageError) {
    guard !isJSON else {
      return failure(EngagementError("usage", "\(error.message) See \"\(error.help)\"."))
    }
    note("engage: \(error.message)")
    note("See \"\(error.help)\".")
  }
}
