import Glibc

/// Gives libFuzzer a function to search for inputs that end the program.
public enum FuzzDriver {
  // libFuzzer's callback carries no context; it is set once, before the only thread starts.
  nonisolated(unsafe) private static var check: ([UInt8]) -> Void = { _ in }

  /// Runs the search of the arguments and does not return. The check traps on a finding.
  ///
  /// The last argument is the corpus folder. The seeds are written into it for the first search.
  public static func run(seeds: [[UInt8]], check: @escaping ([UInt8]) -> Void) -> Never {
    self.check = check
    if let folder = CommandLine.arguments.dropFirst().last, !folder.hasPrefix("-") {
      for (number, seed) in seeds.enumerated() { write(seed, to: "\(folder)/seed-\(number)") }
    }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(start(&count, &arguments, call))
  }

  private static let call: Callback = { bytes, count in
    check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "wb") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

@_silgen_name("LLVMFuzzerRunDriver")
private func start(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: Callback
) -> Int32
