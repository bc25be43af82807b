import EngagementJSON
import EngagementModel

/// Reads Atomic's pushes.
enum AtomicPush {
  private static let source = "io.atomic"

  /// The push in neutral terms; nil if it is not Atomic's.
  static func notification(in push: JSON) -> PushNotification? {
    guard let envelope = envelope(in: push), envelope["source"]?.string == source,
      let item = envelope["cardInstanceId"]?.string, let container = container(in: envelope)
    else { return nil }
    var notification = PushNotification(vendor: "atomic")
    notification.itemID = item
    notification.containerID = ContainerID(container)
    notification.detail = envelope["detail"]?.object ?? [:]
    read(push, into: &notification)
    return notification
  }

  /// An object for APNs. For FCM, where every value is a text, the JSON text of an object.
  private static func envelope(in push: JSON) -> JSONObject? {
    switch push["atomic"] {
    case .object(let object): object
    case .string(let text): (try? JSON(parsing: Array(text.utf8)))?.object
    case .null, .bool, .integer, .number, .array, nil: nil
    }
  }

  private static func container(in envelope: JSONObject) -> String? {
    switch envelope["streamContainerId"] {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): Int64(exactly: number).map { String($0) }
    case .null, .bool, .array, .object, nil: nil
    }
  }

  private static func read(_ push: JSON, into notification: inout PushNotification) {
    let aps = push["aps"]
    let alert = aps?["alert"]
    notification.title = alert?["title"]?.string ?? push["title"]?.string
    notification.subtitle = alert?["subtitle"]?.string
    notification.body = alert?["body"]?.string ?? alert?.string ?? push["body"]?.string
    notification.sound = aps?["sound"]?.string
    notification.badge = aps?["badge"]?.integer.flatMap { Int(exactly: $0) }
    notification.category = aps?["category"]?.string
    notification.isSilent =
      aps?["content-available"]?.integer == 1 && notification.title == nil
      && notification.body == nil
  }
}
