import EngagementModel

/// The names in a file that are no columns of ours, and what a reader has to know of them.
struct ForeignNames: Sendable {
  private(set) var names: [String] = []
  /// The events that have them.
  private var events: [String: Int] = [:]

  /// More are not told.
  private static let most = 20

  /// The column that a name is meant for, which the event or the file lacks: the two differ in small and
  /// large letters and in signs.
  static func column(meantBy name: String, among lacking: [String]) -> String? {
    let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return lacking.first { $0 == letters }
  }

  mutating func add(_ name: String) {
    if let count = events[name] {
      events[name] = count + 1
    } else if names.count < Self.most {
      names.append(name)
      events[name] = 1
    }
  }

  /// - Parameter what: What they are the names of, such as `columns`.
  func note(_ what: String) -> String? {
    guard !names.isEmpty else { return nil }
    let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    return "It has \(what) that events of ours do not have, and they are left out: \(list)."
  }
}

extension EventColumn {
  /// What a reader has to know of a file that lacks columns; nil if each event can have a user.
  static func note(ofFileWithout lacking: [EventColumn]) -> String? {
    guard lacking.contains(.user) else { return nil }
    return "It has no column \(EventColumn.user.name): each device counts as one person."
  }
}
