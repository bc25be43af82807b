import EngagementAnalytics
import EngagementModel

extension VendorEventTable {
  /// The events of Braze Currents as its connector for HTTP sends them, one of a batch's events a line. The
  /// files that Currents writes into a bucket are Avro and of another shape.
  ///
  /// Names and shapes are those of Braze's public pages "Custom Currents connector", "Message engagement
  /// events" and "Customer behavior events".
  static let brazeCurrents = VendorEventTable(
    name: "braze-currents",
    summary: """
      The events of Braze Currents as its connector for HTTP sends them, without the list around
      them. The files that Currents writes into a bucket are Avro, which is not read.
      """,
    provider: "braze", nameField: "event_type", timeField: "time", timeFormat: .seconds,
    properties: "properties.custom_properties",
    fields: [
      Field("id", .id), Field("user.external_user_id", .user), Field("user.device_id", .source),
      Field("properties.session_id", .session),
    ], events: cards + campaigns + pushes + behaviors, customName: "users.behaviors.CustomEvent")

  private static let cards: [Event] = [
    card("Send", "send"), card("Impression", .impression), card("Click", .click),
    card("Dismiss", .dismiss), card("Abort", "abort"),
  ]

  private static func card(_ word: String, _ kind: EngagementEvent.Kind) -> Event {
    Event(
      "users.messages.contentcard.\(word)", kind, on: .cards,
      [Field("properties.content_card_id", .subject)])
  }

  private static let campaigns: [Event] = [
    campaign("inappmessage.Impression", .impression, on: .campaigns),
    campaign("inappmessage.Click", .click, on: .campaigns),
    campaign("inappmessage.Abort", "abort", on: .campaigns),
  ]

  private static let pushes: [Event] = [
    campaign("pushnotification.Send", "send", on: .push),
    campaign("pushnotification.Open", .click, on: .push),
    campaign("pushnotification.Bounce", "bounce", on: .push),
    campaign("pushnotification.IosForeground", "foreground", on: .push),
    campaign("pushnotification.Abort", "abort", on: .push),
  ]

  /// An event on what a campaign sent; a message of a Canvas has no campaign, and its fields are kept.
  private static func campaign(
    _ word: String, _ kind: EngagementEvent.Kind, on surface: Surface
  ) -> Event {
    var fields = [Field("properties.campaign_id", .subject)]
    if kind == .click, surface == .campaigns {
      fields.append(Field("properties.button_id", property: "button"))
    }
    return Event("users.messages.\(word)", kind, on: surface, fields)
  }

  private static let behaviors: [Event] = [
    Event("users.behaviors.CustomEvent", .custom, [Field("properties.name", .name)]),
    Event(
      "users.behaviors.Purchase", .purchase,
      [
        Field("properties.product_id", .name), Field("properties.price", property: "price"),
        Field("properties.currency", property: "currency"),
        Field("properties.quantity", property: "quantity"),
      ], properties: "properties.purchase_properties"),
    Event("users.behaviors.app.SessionStart", .sessionStart),
    Event(
      "users.behaviors.app.SessionEnd", .sessionEnd,
      [Field("properties.duration", property: "seconds")]),
  ]
}
