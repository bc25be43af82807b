import Glibc

/// One run of a Swift peer: `PEER FILE SET ROW PASSES`.
public struct Bench {
  /// The whole file.
  public let bytes: [UInt8]
  /// The name of the work set, `cards` or `inbox`.
  public let set: String
  /// What is measured: `parse`, `split` or `cards`.
  public let row: String
  private let passes: Int

  /// Reads the arguments and the file; ends the program where one is missing.
  public init() {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let passes = Int(arguments[4]), passes > 0,
      let bytes = Kernel.bytes(of: arguments[1])
    else { exit(64) }
    self.bytes = bytes
    set = arguments[2]
    row = arguments[3]
    self.passes = passes
  }

  /// Times the work, once on cold memory and then `PASSES` times, and prints one line of JSON.
  ///
  /// The clock stops when the values are there; they are counted and released after it.
  public func run<Value>(
    _ work: ([UInt8]) throws -> Value, count: (Value) -> (items: Int, check: Int)
  ) rethrows {
    var times: [Double] = []
    var found = (items: 0, check: 0)
    let clock = ContinuousClock()
    for _ in 0...passes {
      let start = clock.now
      let value = try work(bytes)
      let time = clock.now - start
      times.append(
        Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3)
      found = count(value)
    }
    let first = times.removeFirst()
    times.sort()
    print(
      "{\"first_ms\":\(first),\"ms\":\(times[times.count / 2]),\"items\":\(found.items),"
        + "\"check\":\(found.check),\"peak_kb\":\(Kernel.peakKilobytes())}")
  }
}
