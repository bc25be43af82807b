/// Measures by the wall clock and by what the process computed meanwhile.
public struct Stopwatch {
  private let wall = ContinuousClock.now
  private let cpu = Kernel.cpuMilliseconds()

  /// Starts now.
  public init() {}

  /// The milliseconds by the wall clock.
  public var wallMilliseconds: Double { Self.milliseconds(ContinuousClock.now - wall) }

  /// The milliseconds since the start.
  public var passed: (wall: Double, cpu: Double) {
    (wallMilliseconds, Kernel.cpuMilliseconds() - cpu)
  }

  private static func milliseconds(_ time: Duration) -> Double {
    Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) / 1e15
  }
}

/// The times of one piece of work that is done again and again.
public struct Laps {
  private var walls: [Double] = []
  private var cpu = 0.0

  /// Nothing done yet.
  public init() {}

  /// Does the work once more.
  public mutating func measure(_ work: () async throws -> Void) async rethrows {
    let watch = Stopwatch()
    try await work()
    let passed = watch.passed
    walls.append(passed.wall)
    cpu += passed.cpu
  }

  /// The median by the wall clock and the mean of what was computed, in milliseconds.
  public var typical: (wall: Double, cpu: Double) {
    (walls.sorted()[walls.count / 2], cpu / Double(walls.count))
  }
}

/// The one line of JSON that a peer prints.
public struct Line {
  private var members: [String] = []

  /// Nothing measured yet.
  public init() {}

  /// Adds a number.
  public mutating func add(_ name: String, _ number: some Numeric) {
    members.append("\"\(name)\":\(number)")
  }

  /// Adds what a stopwatch showed, for one of so many that were measured together.
  public mutating func add(
    _ name: String, _ time: (wall: Double, cpu: Double), of count: Int = 1
  ) {
    add("\(name)_ms", time.wall / Double(count))
    add("\(name)_cpu_ms", time.cpu / Double(count))
  }

  /// Adds what the peers have to agree about.
  public mutating func add(_ name: String, rows: Int, check: Int) {
    add("\(name)_rows", rows)
    add("\(name)_check", check)
  }

  /// Prints it.
  public func print() { Swift.print("{\(members.joined(separator: ","))}") }
}
