import EngagementTesting
import Testing

@testable import EngagementKit

@Suite(.timeLimit(.minutes(20))) struct MessageAllowanceTests {
  @Test("A3: hundreds of messages are heard at once, and then a hundred in a second")
  func rate() {
    var allowance = MessageAllowance()
    var heard = 0
    while heard < 10_000, allowance.note(byteCount: 10, at: .seconds(100)) == nil { heard += 1 }
    #expect(heard == 500)
    // The message that had to wait is paid for after ten milliseconds.
    #expect(allowance.note(byteCount: 10, at: .seconds(100)) == .milliseconds(100_020))
    #expect(allowance.note(byteCount: 10, at: .seconds(101)) == nil)
  }

  @Test("A3: a long message counts for more than one")
  func length() {
    var allowance = MessageAllowance()
    #expect(allowance.note(byteCount: 9 << 20, at: .zero) == .milliseconds(770))
  }

  @Test("A3: a vendor that says more than the channel hears has to wait, and nothing is lost")
  func flood() async throws {
    let stage = try await LiveStage()
    await stage.show("home")
    try await stage.signIn("u-1")
    let socket = await stage.socket()
    for number in 0..<600 { socket.say(#"["\#(number)"]"#) }
    while stage.ids() != ["500"] { await Task.yield() }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(stage.ids() == ["500"])
    while stage.ids() != ["599"] {
      stage.clock.advance(by: .milliseconds(10))
      await Task.yield()
    }
    try await stage.end()
  }
}
