import EngagementAdapterAPI
import EngagementModel

/// Something that happened on a screen, for the ledger and for the vendor that it concerns.
struct ScreenFact: Hashable, Sendable {
  var kind: EngagementEvent.Kind
  var provider: ProviderID
  /// Nil for what concerns a whole container.
  var item: ItemID?
  var properties: JSONObject
}

extension FeedPublisher {
  /// What a report of the screen says: nothing of an item that is not shown, and nothing of a
  /// provider whose vendor wants to hear nothing of it.
  func facts(
    of event: Engagement.ScreenEvent, by providers: [Provider]
  ) -> [ScreenFact] {
    guard let feedState else { return [] }
    if case .containerShown(let container, let mode) = event {
      return providers.filter { $0.takes(.streamDisplayed) }.compactMap {
        ScreenFact(showing: container, as: mode, at: $0.id, in: feedState)
      }
    }
    guard let (item, kind, properties) = event.fact,
      providers.contains(where: { $0.id == item.provider && $0.takes(kind) }),
      let (card, place) = feedState.cardWithPlace(item, at: clock.now)
    else { return [] }
    var all = properties
    for member in place.members { all[member.key] = member.value }
    if let id = properties["subviewID"]?.string {
      all["subviewTitle"] = card.subviews.first { $0.id == id }?.title.map(JSON.string)
    }
    if kind == .displayed, !card.metadata.isEmpty { all["metadata"] = .object(card.metadata) }
    return [ScreenFact(kind: kind, provider: item.provider, item: item, properties: all)]
  }
}

extension FeedPublisher {
  /// That runtime variables have values; nil for a vendor that does not want to know, and for a card
  /// that is not there any more.
  func fact(
    of values: [String: String], in card: Card, by providers: [Provider]
  ) -> ScreenFact? {
    guard providers.contains(where: { $0.id == card.id.provider && $0.takes(.variablesUpdated) }),
      let (_, place) = feedState?.cardWithPlace(card.id, at: clock.now)
    else { return nil }
    var resolved = JSONObject()
    for variable in card.runtimeVariables {
      resolved[variable.name] = .string(values[variable.name] ?? variable.defaultValue)
    }
    var properties = place
    properties["resolvedVariables"] = .object(resolved)
    return ScreenFact(
      kind: .variablesUpdated, provider: card.id.provider, item: card.id, properties: properties)
  }
}

extension ScreenFact {
  fileprivate init?(
    showing container: ContainerID, as mode: Engagement.DisplayMode, at provider: ProviderID,
    in feedState: FeedState
  ) {
    guard var place = feedState.place(of: container, at: provider) else { return nil }
    place["displayMode"] = .string(mode.rawValue)
    place["position"] = 0
    self.init(kind: .streamDisplayed, provider: provider, properties: place)
  }
}

extension Engagement.ScreenEvent {
  /// What is recorded of the item; nil for what only the meter of impressions uses.
  fileprivate var fact: (item: ItemID, EngagementEvent.Kind, JSONObject)? {
    switch self {
    case .visible(let item, _): (item, .displayed, [:])
    case .hidden, .containerShown: nil
    case .subviewOpened(let item, let id): (item, .subview, Self.properties(ofSubview: id))
    case .subviewLeft(let item, let id):
      (item, .subview, Self.properties(ofSubview: id, ["exited": true]))
    case .linkFollowed(let item, let link, let origin):
      Self.properties(of: link, from: origin).map { (item, .redirect, $0) }
    case .videoStarted(let item, let text): (item, .video, Self.properties(ofVideo: text))
    case .videoCompleted(let item, let text):
      (item, .video, Self.properties(ofVideo: text, ["completed": true]))
    case .snoozeOptionsShown(let item): (item, .snoozeOptions, [:])
    case .snoozeOptionsCancelled(let item): (item, .snoozeOptions, ["cancelled": true])
    }
  }

  private static func properties(
    ofSubview id: String, _ others: JSONObject = [:]
  ) -> JSONObject {
    var properties = others
    properties["subviewID"] = .string(id)
    properties["subviewLevel"] = 1
    properties["viewState"] = "subview"
    return properties
  }

  /// Nil for a link within the card.
  private static func properties(
    of link: CardButton.Link, from origin: Engagement.LinkOrigin
  ) -> JSONObject? {
    let detail = JSON.string(origin.rawValue)
    switch link {
    case .url(let text): return ["linkMethod": "url", "url": .string(text), "detail": detail]
    case .payload(let payload):
      return ["linkMethod": "payload", "payload": .object(payload), "detail": detail]
    case .subview: return nil
    }
  }

  private static func properties(
    ofVideo urlText: String, _ others: JSONObject = [:]
  ) -> JSONObject {
    var properties = others
    let path = urlText.prefix { $0 != "?" && $0 != "#" }
    properties["media"] = .string(String(path.split(separator: "/").last ?? ""))
    properties["mediaURL"] = .string(urlText)
    return properties
  }
}
