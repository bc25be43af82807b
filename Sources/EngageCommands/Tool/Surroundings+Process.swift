import EngagementCurl
import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Surroundings {
  /// The process's own. Called once: signals are taken over.
  public static func process() -> Surroundings {
    let interrupts = Interrupts()
    interrupts.prepare()
    let environment = processEnvironment
    return Surroundings(
      terminal: .process(environment: environment), environment: environment,
      directory: workingDirectory,
      input: { () throws(EngagementError) in
        try InputFile.bytes(of: STDIN_FILENO, atMost: 64 << 20)
      },
      transport: { authorities in
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorities = authorities
        return CurlTransport(configuration)
      },
      interruption: { await interrupts.wait() })
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  private static var processEnvironment: [String: String] {
    var environment: [String: String] = [:]
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
        environment[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return environment
  }
}
