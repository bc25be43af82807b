import EngagementEmulator

/// What faults did to answers, by their kind and the body that the client would have got.
struct Strikes {
  /// How often each kind has struck each body, and how often the bytes differed.
  private var counts: [Place: (struck: Int, differed: Int)] = [:]

  private struct Place: Hashable {
    var kind: String
    var body: String
  }

  /// Faults that do something else than to change bytes.
  private static let ofTime: Set<String> = ["delay", "slowDrip", "slowHead"]
  /// The vendor's second answer may be another one.
  private static let ofEither: Set<String> = ["duplicateRequest"]
  /// Faults of a body, which leave an answer without one as it is.
  private static let ofBodies: Set<String> = [
    "truncateJSON", "wrongType", "missingField", "invalidUTF8", "duplicateKey", "byteOrderMark",
    "lengthShort", "lengthConflict", "resetMiddle", "truncate",
  ]

  init(_ requests: [EmulatorRequest]) {
    for request in requests {
      guard let kind = request.fault, let alteration = request.alteration else { continue }
      let place = Place(kind: kind, body: alteration.body)
      counts[place, default: (0, 0)].struck += 1
      if alteration.differs { counts[place, default: (0, 0)].differed += 1 }
    }
  }

  /// How often each kind has struck.
  var struck: [String: Int] {
    counts.reduce(into: [:]) { $0[$1.key.kind, default: 0] += $1.value.struck }
  }

  /// The kinds that struck and left the bytes as they were, or changed them and should not.
  var findings: [String] {
    counts.compactMap { place, count in
      guard !Self.ofEither.contains(place.kind) else { return nil }
      if Self.ofTime.contains(place.kind) {
        return count.differed == 0 ? nil : "\(place.kind) changed the bytes of \(place.body)"
      }
      if place.body == "empty", Self.ofBodies.contains(place.kind) || place.kind == "empty" {
        return nil
      }
      let (kind, body) = (place.kind, place.body)
      return count.differed == count.struck
        ? nil
        : "\(kind) left \(count.struck - count.differed) of \(count.struck) as they were: \(body)"
    }.sorted()
  }

  /// A line for a reader: each kind with its counts by body.
  var summary: String {
    counts.sorted { ($0.key.kind, $0.key.body) < ($1.key.kind, $1.key.body) }
      .map { "\($0.key.kind)/\($0.key.body) \($0.value.differed) of \($0.value.struck)" }
      .joined(separator: ", ")
  }
}
