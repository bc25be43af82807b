import EngagementFormats
import EngagementJSON
import EngagementModel

/// Writes events with Atomic's names, the same on the socket and over HTTP.
enum AtomicEvents {
  /// The kinds that Atomic accepts.
  static let kinds: Set<EngagementEvent.Kind> = Set(names.map(\.kind)).union([.custom])

  /// Atomic's names for the kinds. The first entry applies whose condition the properties meet.
  private static let names: [(kind: EngagementEvent.Kind, needs: String?, word: String)] = [
    (.displayed, nil, "card-displayed"),
    (.vote, "useful", "card-voted-up"),
    (.vote, nil, "card-voted-down"),
    (.redirect, nil, "user-redirected"),
    (.subview, "exited", "card-subview-exited"),
    (.subview, nil, "card-subview-displayed"),
    (.video, "completed", "video-completed"),
    (.video, nil, "video-played"),
    (.snoozeOptions, "cancelled", "snooze-options-canceled"),
    (.snoozeOptions, nil, "snooze-options-displayed"),
    (.streamDisplayed, nil, "stream-displayed"),
    (.variablesUpdated, nil, "runtime-vars-updated"),
    (.upload, "failed", "user-file-uploads-failed"),
    (.upload, "completed", "user-file-uploads-completed"),
    (.upload, nil, "user-file-uploads-started"),
    (.receive, nil, "notification-received"),
    (.sessionStart, nil, "sdk-initialized"),
    (.credentialRenewed, nil, "sdk-initialized"),
    (.providerFailed, nil, "request-failed"),
  ]

  /// The properties that are sent, with Atomic's names. Others are not sent.
  private static let properties: [(neutral: String, word: String)] = [
    ("source", "source"), ("reason", "reason"), ("message", "message"),
    ("linkMethod", "linkMethod"), ("url", "url"), ("payload", "payload"), ("detail", "detail"),
    ("displayMode", "displayMode"), ("resolvedVariables", "resolvedVariables"),
    ("subviewID", "subviewId"), ("subviewTitle", "subviewTitle"),
    ("subviewLevel", "subviewLevel"), ("media", "media"), ("mediaURL", "mediaURL"),
    ("path", "path"), ("statusCode", "statusCode"),
  ]

  /// The properties with an item's position, with Atomic's names.
  private static let places: [(neutral: String, word: String)] = [
    ("streamLength", "streamLength"), ("streamLengthVisible", "streamLengthVisible"),
    ("position", "cardPositionInStream"),
  ]

  /// Why Atomic does not accept the event; nil if it does.
  static func fault(of event: EngagementEvent) -> String? {
    guard ISO8601.text(of: event.time) != nil else { return "Its time has no text." }
    if event.kind == .custom { return event.name?.isEmpty == false ? nil : "It has no name." }
    return kinds.contains(event.kind) ? nil : "Atomic has no such event."
  }

  /// Writes the events that Atomic accepts as an array.
  static func write(_ events: [EngagementEvent], of user: User, to writer: inout JSONWriter) {
    writer.beginArray()
    for event in events where fault(of: event) == nil { write(event, of: user, to: &writer) }
    writer.endArray()
  }

  private static func write(
    _ event: EngagementEvent, of user: User, to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("id", event.id.rawValue)
    writer.member("endUserId", user.id?.rawValue ?? "")
    writer.member("timestamp", ISO8601.text(of: event.time) ?? "")
    writer.member("properties", .object(properties(of: event)))
    writer.member("eventContext", ["userLocalTimestamp": .string(localTime(of: event))])
    if event.kind == .custom {
      writer.member("eventType", "custom")
      writer.member("eventName", event.name ?? "")
    } else {
      writer.member("analyticsEvent", word(for: event))
      writer.member("hostContext", [:])
    }
    writer.member("sdkContext", .object(container(of: event)))
    writeContexts(of: event, to: &writer)
    writer.endObject()
  }

  private static func word(for event: EngagementEvent) -> String {
    names.first { name in
      name.kind == event.kind && name.needs.map { event.properties[$0]?.bool == true } ?? true
    }?.word ?? event.kind.rawValue
  }

  /// The event's local time, or UTC if the local time cannot be written.
  private static func localTime(of event: EngagementEvent) -> String {
    ISO8601.text(of: event.time, as: .local(offset: event.zoneOffset))
      ?? ISO8601.text(of: event.time) ?? ""
  }

  private static func properties(of event: EngagementEvent) -> JSONObject {
    guard event.kind != .custom else { return event.properties }
    var object = JSONObject()
    for (neutral, word) in properties { object[word] = event.properties[neutral] }
    if event.kind == .upload { object["fileInfo"] = [.object(fileInfo(of: event))] }
    guard event.kind == .vote else { return object }
    object["source"] = event.properties["source"]?.string.flatMap { sources[$0] }.map(JSON.string)
    let takesMessage =
      event.properties["useful"]?.bool == true || object["reason"]?.string == "other"
    let message = takesMessage ? object["message"]?.string : nil
    object["message"] = message.map { .string(limited($0)) }
    return object
  }

  /// Atomic's names of the places where a user votes.
  private static let sources = [
    "swipe": "swipe-menu", "menu": "overflow-menu", "button": "card-button",
  ]

  private static func fileInfo(of event: EngagementEvent) -> JSONObject {
    var info = JSONObject()
    info["filename"] = event.properties["fileName"]
    info["bucketId"] = event.properties["bucket"]
    return info
  }

  /// Cuts the message to Atomic's limit.
  private static func limited(_ message: String) -> String { String(message.prefix(280)) }

  // MARK: Contexts

  private static func container(of event: EngagementEvent) -> JSONObject {
    let container = event.item?.container?.rawValue ?? event.properties["containerID"]?.string
    return container.map { ["containerId": .string($0)] } ?? [:]
  }

  private static func writeContexts(of event: EngagementEvent, to writer: inout JSONWriter) {
    var place = JSONObject()
    for (neutral, word) in places { place[word] = event.properties[neutral] }
    if event.kind != .custom, !place.isEmpty { writer.member("streamContext", .object(place)) }
    guard let item = event.item, item.surface == .cards else { return }
    writer.member(
      "cardContext",
      [
        "cardInstanceId": .string(item.id.value),
        "cardInstanceStatus": item.handle["status"] ?? "active",
        "cardViewState": event.properties["viewState"] ?? "topview",
        "cardPresentation": "individual",
      ])
  }
}
