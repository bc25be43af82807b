/// The type of an exported event, such as `engage.card.impression`.
package enum EventType {
  package static let prefix = "engage."

  /// What one item of each surface is called in a type. Another surface has its own name there.
  package static let nouns: [(surface: Surface, noun: String)] = [
    (.cards, "card"), (.inbox, "message"), (.campaigns, "campaign"), (.push, "push"),
  ]

  /// The type of an event of this kind.
  package static func type(of kind: EngagementEvent.Kind, on surface: Surface?) -> String {
    guard let surface else { return prefix + kind.rawValue }
    let noun = nouns.first { $0.surface == surface }?.noun ?? surface.rawValue
    return "\(prefix)\(noun).\(kind.rawValue)"
  }

  /// The kind of an event with this type. A type that is not ours is its own kind.
  ///
  /// - Parameter surface: The surface of the event; nil if it has none, or if an export has left it out.
  package static func kind(of type: String, on surface: Surface?) -> EngagementEvent.Kind {
    guard let rest = type.without(prefix) else { return EngagementEvent.Kind(type) }
    var words: [String] = []
    if let surface {
      words = [nouns.first { $0.surface == surface }?.noun ?? surface.rawValue]
    } else if !ownKinds.contains(rest) {
      words = nouns.map(\.noun)
    }
    for noun in words {
      if let kind = rest.without("\(noun).") { return EngagementEvent.Kind(kind) }
    }
    return EngagementEvent.Kind(rest)
  }

  /// The kinds that begin as the noun of a surface does.
  package static let ownKinds: Set = [
    EngagementEvent.Kind.campaignDue.rawValue, EngagementEvent.Kind.campaignDropped.rawValue,
    EngagementEvent.Kind.pushDropped.rawValue,
  ]
}

extension String {
  fileprivate func without(_ prefix: String) -> String? {
    let (text, start) = (utf8, prefix.utf8)
    guard text.starts(with: start), text.count > start.count else { return nil }
    return String(Substring(text.dropFirst(start.count)))
  }
}
