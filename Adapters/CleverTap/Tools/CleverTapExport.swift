import EngagementAnalytics
import EngagementModel

extension VendorEventTable {
  /// The events of CleverTap's export into a bucket, as JSON, one a line. Its records have no id, and its
  /// times have no zone: they are those of the project, taken for UTC.
  ///
  /// Names and shapes are those of CleverTap's public page "Export format" and of records that its users
  /// show. The channel of a notification is among the properties, so its kind of item is not known.
  static let cleverTapExport = VendorEventTable(
    name: "clevertap-export",
    summary: """
      The events of CleverTap's export into a bucket, in JSON. They have no ids: a line that stands
      in two files counts once, and one that stands twice in one file counts twice. Their times have
      no zone and are taken for UTC.
      """,
    provider: "clevertap", nameField: "eventName", timeField: "ts", timeFormat: .digits,
    properties: "eventProps",
    fields: [Field("profile.identity", .user), Field("profile.objectId", .source)],
    events: [
      notification("Notification Sent", "send"),
      notification("Notification Viewed", .impression),
      notification("Notification Clicked", .click),
      notification("Push Impressions", .receive, on: .push),
      Event("App Launched", .launch),
      // The vendor's amount is that of the whole purchase; a price of ours is that of one piece.
      Event("Charged", .purchase),
    ])

  private static func notification(
    _ name: String, _ kind: EngagementEvent.Kind, on surface: Surface? = nil
  ) -> Event {
    Event(
      name, kind, on: surface,
      [
        Field("eventProps.wzrk_id", .subject), Field("eventProps.wzrk_c2a", property: "button"),
      ])
  }
}
