import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@Suite struct FaultyTransportTests {
  private static let body = #"{"a":1}"#
  private let clock = TestClock()
  private let heard = CallCounter()

  private func transport(_ faults: FaultScript.Fault...) -> FaultyTransport {
    let heard = heard
    return FaultyTransport(FaultScript(faults), clock: clock) { _ in
      _ = heard.next()
      return .json(200, Self.body)
    }
  }

  private func send(_ transport: FaultyTransport, _ path: String = "/x") async -> String {
    do throws(EngagementError) {
      let request = HTTPRequest(.get, "https://memory.example\(path)")
      let response = try await transport.send(request)
      return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
    } catch {
      return error.code.rawValue
    }
  }

  @Test("a request without a fault passes")
  func sound() async {
    #expect(await send(transport()) == "200 \(Self.body)")
  }

  @Test("a fault applies only to its request line, after a given count and a given number of times")
  func counting() async {
    let transport = transport(.init(.status(500), on: "GET /x", from: 2, times: 2))
    var seen: [String] = []
    for path in ["/x", "/y", "/x", "/y", "/x", "/x"] { seen.append(await send(transport, path)) }
    let (sound, fault) = ("200 \(Self.body)", "500 {}")
    #expect(seen == [sound, sound, fault, sound, fault, sound])
    #expect(heard.next() == 4)
  }

  @Test(
    "a connection fails before or after the vendor receives the request",
    arguments: [(FaultScript.Kind.resetBefore, 0), (.resetAfter, 1)])
  func dead(kind: FaultScript.Kind, count: Int) async {
    #expect(await send(transport(.init(kind))) == "unavailable")
    #expect(heard.next() == count)
  }

  @Test("a duplicate reaches the vendor twice, and a delay advances the clock")
  func doubledAndLate() async {
    let start = clock.now
    _ = await send(transport(.init(.duplicateRequest)))
    #expect(heard.next() == 2)
    _ = await send(transport(.init(.delay(.seconds(90)))))
    #expect(clock.now.timeIntervalSince(start) == 90)
  }

  @Test(
    "a fault cuts the body, changes its type or makes it invalid UTF-8",
    arguments: [
      (FaultScript.Kind.truncate(3), #"200 {"a"#), (.wrongType, "200 []"),
      (.invalidUTF8, "200 {\"\u{fffd}\u{fffd}\":1}"),
    ])
  func spoiled(kind: FaultScript.Kind, text: String) async {
    #expect(await send(transport(.init(kind))) == text)
  }

  @Test("a new script replaces the previous one")
  func loading() async {
    let transport = transport(.init(.resetBefore, times: nil))
    #expect(await send(transport) == "unavailable")
    transport.load(FaultScript([.init(.status(418))]))
    #expect(await send(transport) == "418 {}")
    #expect(await send(transport) == "200 \(Self.body)")
  }

  @Test("a cancelled request fails as cancelled and is not sent")
  func cancelled() async {
    let transport = transport()
    let outcome = await withTaskGroup(of: String.self) { group in
      group.cancelAll()
      group.addTask { await send(transport) }
      return await group.next()
    }
    #expect(outcome == "cancelled")
    #expect(heard.next() == 0)
  }
}
