import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import VibesFixtures

/// An application with Vibes alone, whose first device has a person with two messages.
struct VibesApplication {
  let engagement: Engagement
  let transport: ScriptedTransport
  let vendor = FakeVibes()
  let lines = Locked<[String]>([])

  init() async throws {
    await vendor.seed("person-of-device-1", ["m-1", "m-2"])
    transport = ScriptedTransport(vendor.script)
    let lines = lines
    engagement = try await Engagement.open(
      cache: .temporary, device: .test, transport: transport,
      providers: ["vibes": try Vibes.adapter()],
      routes: Engagement.Routes(cards: .none, inbox: .only("vibes")),
      options: Engagement.Options(
        loggers: [
          Engagement.LinesLogger(level: .verbose) { line in lines.withLock { $0.append(line) } }
        ],
        clock: TestClock()))
  }

  func run(_ body: (Engagement) async throws -> Void) async throws {
    let running = Task { [engagement] in try await engagement.run() }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(engagement)) } catch { outcome = .failure(error) }
    running.cancel()
    try await engagement.close()
    try outcome.get()
  }
}
