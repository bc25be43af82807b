import EngagementEmulator
import EngagementModel
import EngagementTesting
import TestSupport

/// A kind of fault between a vendor and its client, with the client's knowledge of the effect.
struct Trouble: Sendable {
  enum Hearing: Sendable {
    /// The vendor did nothing.
    case undone
    /// The vendor executed the request, and the client knows.
    case heard
    /// The vendor executed the request, and the client cannot know.
    case lost
    /// The vendor executed the request; whether the client can know depends on the request.
    case unclear
  }

  let kind: String
  let hearing: Hearing
  /// The fault's settings, with small values to save time and memory.
  var members = JSONObject()

  /// Every kind that the emulator has.
  static let all: [Trouble] =
    undone + [
      Trouble(kind: "delay", hearing: .heard, members: ["milliseconds": 5]),
      Trouble(kind: "resetAfter", hearing: .lost),
      Trouble(kind: "closeAfter", hearing: .lost),
      Trouble(kind: "resetMiddle", hearing: .lost),
      Trouble(kind: "truncate", hearing: .lost),
      Trouble(kind: "truncateHead", hearing: .lost),
      Trouble(kind: "truncateJSON", hearing: .lost),
      Trouble(kind: "wrongType", hearing: .unclear),
      Trouble(kind: "missingField", hearing: .unclear),
      Trouble(kind: "invalidUTF8", hearing: .unclear),
      Trouble(kind: "duplicateKey", hearing: .unclear),
      Trouble(kind: "byteOrderMark", hearing: .lost),
      Trouble(kind: "duplicateAnswer", hearing: .heard),
      Trouble(kind: "duplicateRequest", hearing: .heard),
      Trouble(kind: "oversize", hearing: .lost, members: ["bytes": 200_000]),
      Trouble(kind: "gzipBomb", hearing: .lost, members: ["bytes": 200_000]),
      Trouble(kind: "gzipBroken", hearing: .lost),
      Trouble(kind: "slowDrip", hearing: .heard, members: ["milliseconds": 0]),
      Trouble(kind: "slowHead", hearing: .heard, members: ["milliseconds": 0]),
      Trouble(kind: "headerFlood", hearing: .lost),
      Trouble(kind: "headerLong", hearing: .lost),
      Trouble(kind: "lengthShort", hearing: .lost),
      Trouble(kind: "lengthConflict", hearing: .unclear),
      Trouble(kind: "chunkBroken", hearing: .lost),
      Trouble(kind: "earlyHints", hearing: .heard),
      Trouble(kind: "wrongContentType", hearing: .heard),
    ]

  private static let undone: [Trouble] = [
    Trouble(kind: "status", hearing: .undone),
    Trouble(kind: "throttleSeconds", hearing: .undone),
    Trouble(kind: "throttleDate", hearing: .undone),
    Trouble(kind: "throttleGarbage", hearing: .undone),
    Trouble(kind: "unauthorized", hearing: .undone),
    Trouble(kind: "resetBefore", hearing: .undone),
    Trouble(kind: "closeBefore", hearing: .undone),
    Trouble(kind: "hang", hearing: .undone, members: ["milliseconds": 5]),
    Trouble(kind: "html", hearing: .undone),
    Trouble(kind: "empty", hearing: .undone),
    Trouble(kind: "notHTTP", hearing: .undone),
    Trouble(kind: "redirectLoop", hearing: .undone),
    Trouble(kind: "redirectElsewhere", hearing: .undone),
    Trouble(kind: "redirectOnce", hearing: .undone),
  ]

  static func hearing(of kind: String) -> Hearing {
    all.first { $0.kind == kind }?.hearing ?? .unclear
  }

  /// The next one to four faults, each for a request of its own. All kinds strike equally often:
  /// `left` has those that are still to come in this round.
  static func script(
    _ statuses: [Int], from left: inout [Trouble], _ random: inout SeededGenerator
  ) throws -> EmulatorFaults {
    var faults: [JSON] = []
    for _ in 0..<(1 + random.below(4)) {
      if left.isEmpty { left = all.shuffled(using: &random) }
      guard let trouble = left.popLast() else { break }
      var fault = trouble.members
      fault["fault"] = .string(trouble.kind)
      if trouble.kind == "status" { fault["status"] = .integer(Int64(random.pick(statuses))) }
      if trouble.kind.hasPrefix("throttle") {
        fault["seconds"] = .integer(Int64(random.pick([1, 10, 120])))
      }
      faults.append(.object(fault))
    }
    return try EmulatorFaults(json: ["faults": .array(faults)])
  }
}
