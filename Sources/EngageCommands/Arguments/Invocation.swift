import EngagementModel
import EngagementVendors

/// A command as it was typed, and all that it may use.
struct Invocation: Sendable {
  let command: Command
  let console: Console
  let context: CommandContext
  /// The vendors that the tool knows.
  let vendors: [VendorRegistration]
  /// Draws templates and runs functions.
  let presenter: TerminalPresenter
  /// Gives the library the credentials of the configuration.
  let credentials: ConfiguredCredentials
  private let values: [String: [String]]
  private let arguments: [String]

  init(
    _ parsed: ParsedCommand, _ vendors: [VendorRegistration], _ console: Console,
    _ context: CommandContext
  ) {
    self.vendors = vendors
    command = parsed.command
    values = parsed.values
    arguments = parsed.arguments
    self.console = console
    self.context = context
    credentials = ConfiguredCredentials(context.clock)
    presenter = TerminalPresenter(console, choosing: parsed.values[Option.choose.name]?.last)
  }

  // MARK: Options

  /// Whether the switch is there.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The option's value; nil where the option is not there.
  func value(_ option: Option) -> String? { values[option.name]?.last }

  /// All values of an option that may be there more than once.
  func values(_ option: Option) -> [String] { values[option.name] ?? [] }

  /// The value as a whole number in the range.
  func number(_ option: Option, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw usage(
        "\(option.title) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not \"\(text)\".")
    }
    return number
  }

  // MARK: Arguments

  /// The argument at a place that the command requires.
  func argument(_ index: Int = 0) throws -> String {
    guard arguments.indices.contains(index) else {
      throw usage("\(command.title) needs \(command.arguments[index].name).")
    }
    return arguments[index]
  }

  func optionalArgument(_ index: Int = 0) -> String? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }

  /// The arguments from a place on.
  func arguments(from index: Int) -> ArraySlice<String> { arguments.dropFirst(index) }

  /// An error that sends the reader to the command's help.
  func usage(_ message: String) -> UsageError { UsageError(message, of: command.title) }

  /// The cases of a type that is written by their names.
  func choice<Value: RawRepresentable & CaseIterable>(
    _ text: String, of what: String, as type: Value.Type = Value.self
  ) throws -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: text) else {
      throw UsageError.value(
        text, of: what, among: Value.allCases.map(\.rawValue), in: command.title)
    }
    return value
  }
}
