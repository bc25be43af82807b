import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

/// Where and as whom an application speaks to Atomic.
@Suite struct AtomicConfigurationTests {
  @Test("A1 A2: an invalid configuration fails at the start and names its field")
  func configuration() throws {
    typealias Make = () throws -> AtomicConfiguration
    func make(
      _ endpoint: String = "https://client-api.atomic.io", _ environment: String = "env",
      _ key: String = "key", instance: String = "i", margin: Duration = .zero,
      retry: Duration = .zero, claim: String? = nil
    ) throws -> AtomicConfiguration {
      try AtomicConfiguration(
        endpoint: endpoint, environmentID: environment, apiKey: Secret(key), instanceID: instance,
        expiryMargin: margin, retryInterval: retry, userClaim: claim)
    }
    let faults: [(String, Make)] = [
      ("endpoint", { try make("client-api.atomic.io") }), ("endpoint", { try make("wss://a.io") }),
      ("endpoint", { try make("http://a.io") }), ("endpoint", { try make("https://a.io?b") }),
      ("environmentID", { try make("https://a.io", "") }),
      ("environmentID", { try make("https://a.io", "..") }),
      ("apiKey", { try make("https://a.io", "env", "") }),
      ("instanceID", { try make(instance: "") }),
      ("expiryMargin", { try make(margin: .seconds(-1)) }),
      ("retryInterval", { try make(retry: .seconds(-1)) }), ("userClaim", { try make(claim: "") }),
    ]
    for (field, make) in faults {
      #expect {
        try make()
      } throws: { error in
        guard let error = error as? EngagementError else { return false }
        return error.code == .invalidConfiguration && error.message.hasPrefix(field)
      }
    }
    #expect(!"\(try make())".contains("key\""))
  }

  @Test("A3: a loopback emulator may be reached without TLS, over HTTP and over the socket")
  func loopback() throws {
    let adapter = AtomicAdapter(
      try AtomicConfiguration(
        endpoint: "http://127.0.0.1:8403", environmentID: "demo", apiKey: Secret("demo"),
        instanceID: "i"))
    let context = AdapterContext(
      user: "u-1", device: .test, credential: AtomicSamples.token(), now: TestClock().now,
      key: OperationKey(1, 2))
    guard case .send(let request) = try adapter.step(for: .metrics, in: context) else {
      throw AtomicSurprise("It is no request.")
    }
    #expect(request.url == "http://127.0.0.1:8403/demo/user-metrics")
    #expect(adapter.capabilities.hosts.allows(try request.target()))
    var conversation = try #require(adapter.conversation(in: context))
    guard case .connect(let socket)? = conversation.respond(to: .started, in: context).first else {
      throw AtomicSurprise("Nothing was opened.")
    }
    #expect(socket.url.hasPrefix("ws://127.0.0.1:8403/demo/socket?"))
    #expect(adapter.capabilities.hosts.allows(try socket.target()))
  }

  @Test("A5: a poll interval of zero switches polling off, and the shortest one is a second")
  func pollInterval() throws {
    let interval = { (poll: Duration) in
      try AtomicConfiguration(
        environmentID: "e", apiKey: Secret("k"), instanceID: "i", pollInterval: poll
      ).pollInterval
    }
    #expect(try interval(.zero) == nil)
    #expect(try interval(.seconds(-3)) == nil)
    #expect(try interval(.milliseconds(1)) == .seconds(1))
    #expect(try interval(.seconds(90)) == .seconds(90))
  }
}
