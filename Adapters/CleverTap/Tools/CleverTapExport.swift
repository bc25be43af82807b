import EngagementAnalytics
import EngagementModel

extension VendorEventTable {
  /// The events of CleverTap's export into a bucket, as JSON, one a line. Its records have no id, and its
  /// times have no zone: they are those of the project, UTC unless something else is said.
  ///
  /// Names and shapes are those of CleverTap's public page "Export format" and of records that its users
  /// show. A campaign's id may have a day or a time behind it. The channel of a notification is among its
  /// properties.
  static let cleverTapExport: VendorEventTable = {
    var table = allCleverTapExport
    table.personal = [
      "profile.all_identities", "profile.email", "profile.name", "profile.phone",
      "profile.push_token", "eventProps.Identity", "eventProps.clevertapId",
    ]
    table.surfaces = Surfaces(
      "eventProps.Campaign type",
      [
        ("Mobile Push", .push), ("Push", .push), ("InApp", .campaigns), ("App Inbox", .inbox),
        ("NotificationInbox", .inbox),
      ])
    table.hasHeading = true
    return table
  }()

  private static let allCleverTapExport = VendorEventTable(
    name: "clevertap-export",
    summary: """
      The events of CleverTap's export into a bucket, in JSON. They have no ids: a line that stands
      in two files counts once, and one that stands twice in one file counts twice. The name of
      the events may stand on the first line. Times have no zone and are taken for UTC, unless --zone
      says which they are of.
      """,
    provider: "clevertap", nameField: "eventName", timeField: "ts",
    timeFormat: .digits(zoneOffset: 0),
    properties: "eventProps",
    fields: [
      Field(
        "profile.identity", .user, from: ["profile.identity", "profile.email", "profile.phone"]),
      Field("profile.objectId", .source),
    ],
    events: [
      notification("Notification Sent", "send"),
      notification("Notification Viewed", .impression),
      notification("Notification Clicked", .click),
      notification("Push Impressions", .receive, on: .push),
      Event("App Launched", .launch),
      Event("Session Concluded", .sessionEnd),
      // The vendor's amount is that of the whole purchase; a price of ours is that of one piece.
      Event("Charged", .purchase),
    ])

  private static func notification(
    _ name: String, _ kind: EngagementEvent.Kind, on surface: Surface? = nil
  ) -> Event {
    Event(
      name, kind, on: surface,
      [
        Field(
          "eventProps.wzrk_id", .subject, from: ["eventProps.Campaign id", "eventProps.wzrk_id"],
          before: "_"),
        Field("eventProps.wzrk_c2a", property: "button"),
      ])
  }
}
