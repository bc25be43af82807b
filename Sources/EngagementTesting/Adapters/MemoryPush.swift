import EngagementAdapterAPI
import EngagementModel

/// A push of the invented vendor: its member `memory` is an object with an `id`.
enum MemoryPush {
  /// Nil for a push of another vendor.
  static func received(_ push: JSON) -> Received? {
    guard let fields = push[MemoryProtocol.push]?.object, let id = fields["id"]?.string,
      !id.isEmpty
    else { return nil }
    var notification = PushNotification(vendor: MemoryProtocol.vendor)
    notification.messageID = id
    notification.title = fields["title"]?.string
    notification.body = fields["body"]?.string
    notification.deepLinkText = VendorURL.checked(fields["link"]?.string)
    notification.isSilent = fields["silent"]?.bool ?? false
    notification.itemID = fields["card"]?.string
    notification.containerID = fields["container"]?.string.map(ContainerID.init(_:))
    notification.inboxMessageID = fields["message"]?.string
    notification.custom = fields["custom"]?.object ?? [:]
    return Received(notification, operations: operations(after: notification))
  }

  /// Fetches the push's items before the user opens it.
  private static func operations(after notification: PushNotification) -> [Operation] {
    let message = notification.inboxMessageID.map { [Operation.message($0)] }
    let cards = notification.containerID.map { [Operation.cards(in: $0, matching: [])] }
    return (message ?? []) + (cards ?? [])
  }
}
