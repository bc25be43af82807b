import EngagementModel
import Testing

@testable import EngagementKit

@Suite struct ItemActionCheckingTests {
  private static let good: [ItemAction] = [
    .impression, .click, .open, .read, .dismiss, .delete, .expire(at: nil), .snooze(seconds: 0),
    .snooze(seconds: .max), .vote(useful: true, reason: nil, message: nil),
    .vote(useful: false, reason: .other, message: String(repeating: "👩‍👩‍👧", count: 280)),
    .submit(button: nil, values: [:]),
    .submit(button: "ok", values: ["a": "text", "b": 3, "c": 2.5, "d": true]),
  ]

  private static let bad: [ItemAction] = [
    .snooze(seconds: -1), .snooze(seconds: .min),
    .vote(useful: false, reason: .other, message: String(repeating: "x", count: 281)),
    .submit(button: "", values: [:]), .submit(button: "ok", values: ["a": []]),
    .submit(button: "ok", values: ["a": .null]), .submit(button: "ok", values: ["a": ["b": 1]]),
    .submit(button: "ok", values: ["a": .number(.nan)]),
    .submit(button: "ok", values: ["a": .number(.infinity)]),
  ]

  @Test("A10 A16: a valid action passes the check", arguments: good)
  func passes(action: ItemAction) throws { try action.check() }

  @Test("A10 A16: an invalid action is refused with its name", arguments: bad)
  func refused(action: ItemAction) {
    let error = #expect(throws: EngagementError.self) { try action.check() }
    #expect(error?.code == .invalidArgument && error?.operation == action.name)
  }
}
