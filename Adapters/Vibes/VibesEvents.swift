import EngagementFormats
import EngagementJSON
import EngagementModel

/// The vendor's types of events.
enum VibesEventType: String, CaseIterable {
  case launch
  // The vendor's documentation says "pushreceived"; its clients send this.
  case receive = "push_receive"
  case click = "clickthru"
  case open = "inbox_open"
  case inboxFetch = "inbox_fetch"

  /// The neutral kinds that have a type.
  static let kinds: Set<EngagementEvent.Kind> = Set(allCases.map(\.kind))

  var kind: EngagementEvent.Kind {
    switch self {
    case .launch: .launch
    case .receive: .receive
    case .click: .click
    case .open: .open
    case .inboxFetch: .inboxFetch
    }
  }

  /// The surface of the item that the event requires; nil if it requires no item.
  var surface: Surface? {
    switch self {
    case .launch, .inboxFetch: nil
    case .receive, .click: .push
    case .open: .inbox
    }
  }
}

/// A batch of events, separated into those that the vendor accepts and those that it has no type
/// for.
struct VibesBatch {
  /// The type of the batch; nil if no event can be sent.
  private(set) var type: VibesEventType?
  private(set) var rejected: [EventID: String] = [:]
  private var entries: [(event: EngagementEvent, time: String)] = []

  /// Throws `invalidArgument` for events of two types, because the vendor refuses such a batch.
  init(_ events: [EngagementEvent]) throws(EngagementError) {
    for event in events {
      guard let type = VibesEventType.allCases.first(where: { $0.kind == event.kind }),
        type.surface == nil || type.surface == event.item?.surface
      else {
        rejected[event.id] = "Vibes has no event for this."
        continue
      }
      guard let time = ISO8601.text(of: event.time) else {
        rejected[event.id] = "The event's time cannot be written."
        continue
      }
      guard self.type == nil || self.type == type else {
        throw EngagementError(.invalidArgument, "Events of two types cannot travel together.")
      }
      self.type = type
      entries.append((event, time))
    }
  }

  var body: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("events")
    writer.beginArray()
    for entry in entries { write(entry.event, entry.time, to: &writer) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private func write(_ event: EngagementEvent, _ time: String, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("uuid", event.id.rawValue)
    writer.member("type", type?.rawValue ?? "event")
    writer.member("timestamp", time)
    writer.key("attributes")
    writer.beginObject()
    if type?.surface != nil, let item = event.item {
      writer.member("message_uid", item.id.value)
      for name in VibesHandle.names {
        if let text = item.handle[name]?.string { writer.member(name, text) }
      }
    }
    writer.endObject()
    writer.endObject()
  }
}

/// The part of an item's handle that events send to the vendor.
enum VibesHandle {
  static let activityType = "activity_type"
  static let activityUID = "activity_uid"
  static let names = [activityType, activityUID]

  /// Makes the handle; an absent text is left out.
  static func make(type: String?, uid: String?) -> JSONObject {
    var handle = JSONObject()
    handle[activityType] = type.map(JSON.string)
    handle[activityUID] = uid.map(JSON.string)
    return handle
  }
}
