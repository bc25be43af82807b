import Glibc

/// One run of a Swift peer: `PEER URL REQUESTS IN_FLIGHT`.
public struct RequestBench: Sendable {
  public let url: String
  private let requests: Int
  private let width: Int

  /// Reads the arguments; ends the program where one is missing.
  public init() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let requests = Int(arguments[2]), let width = Int(arguments[3]),
      requests > 0, width > 0
    else { exit(64) }
    url = arguments[1]
    self.requests = requests
    self.width = width
  }

  /// Sends all requests, so many at a time, and prints one line of JSON. The closure gives status
  /// plus bytes of the body.
  public func run(_ send: @escaping @Sendable () async throws -> Int) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let check = try await withThrowingTaskGroup(of: Int.self) { group in
      for lane in 0..<width {
        let own = requests / width + (lane < requests % width ? 1 : 0)
        group.addTask {
          var sum = 0
          for _ in 0..<own { sum += try await send() }
          return sum
        }
      }
      var sum = 0
      while let part = try await group.next() { sum += part }
      return sum
    }
    let wall = clock.now - start
    let microseconds =
      Double(wall.components.seconds) * 1e6 + Double(wall.components.attoseconds) / 1e12
    print(
      "{\"cpu_us\":\(Self.processTime() / Double(requests)),"
        + "\"wall_us\":\(microseconds / Double(requests)),\"check\":\(check)}")
  }

  /// What all threads of the process have used, in microseconds.
  private static func processTime() -> Double {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) * 1e6 + Double($1.tv_usec)
    }
  }
}
