import EngagementAnalytics
import EngagementModel

extension VendorEventTable {
  /// The events of Braze Currents as its connector for HTTP sends them, one of a batch's events a line. The
  /// files that Currents writes into a bucket are Avro and of another shape.
  ///
  /// Names and shapes are those of Braze's public pages "Custom Currents connector", "Message engagement
  /// events" and "Customer behavior events".
  static let brazeCurrents: VendorEventTable = {
    var table = allBrazeCurrents
    table.personal = personalFields
    return table
  }()

  private static let allBrazeCurrents = VendorEventTable(
    name: "braze-currents",
    summary: """
      The events of Braze Currents as its connector for HTTP sends them, without the list around
      them: jq -c '.events[]' takes them out of it. The files that Currents writes into a bucket are
      Avro, which is not read.
      """,
    provider: "braze", nameField: "event_type", timeField: "time", timeFormat: .seconds,
    properties: "properties.custom_properties",
    fields: [
      Field("id", .id),
      Field(
        "user.external_user_id", .user, from: ["user.external_user_id", "user.user_id"]),
      Field("user.device_id", .source),
      Field("properties.session_id", .session),
    ], events: cards + campaigns + pushes + banners + behaviors,
    customName: "users.behaviors.CustomEvent")

  private static let cards: [Event] = [
    card("Send", "send"), card("Impression", .impression), card("Click", .click),
    card("Dismiss", .dismiss), card("Abort", "abort"),
  ]

  private static func card(_ word: String, _ kind: EngagementEvent.Kind) -> Event {
    Event(
      "users.messages.contentcard.\(word)", kind, on: .cards,
      [Field("properties.content_card_id", .subject, from: ["properties.content_card_id"] + sender)]
    )
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

  /// They are no kind of item that we have. They come last: what has a kind is written under its own name.
  private static let banners = ["Impression", "Click", "Dismiss", "Abort"].map { word in
    campaign("banner.\(word)", EngagementEvent.Kind(word.lowercased()), on: nil)
  }

  /// What a message is of: a campaign, or a step of a Canvas.
  private static let sender: [Path] = [
    "properties.campaign_id", "properties.canvas_step_id", "properties.canvas_id",
  ]

  /// An event on what a campaign or a Canvas sent.
  private static func campaign(
    _ word: String, _ kind: EngagementEvent.Kind, on surface: Surface?
  ) -> Event {
    var fields = [Field("properties.campaign_id", .subject, from: sender)]
    if kind == .click {
      let name: Path = surface == .push ? "properties.button_string" : "properties.button_id"
      fields.append(Field(name, property: "button"))
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
    Event(
      "users.behaviors.subscription.GlobalStateChange", .optOut,
      where: "properties.subscription_status", is: "Unsubscribed"),
  ]

  private static let personalFields: [Path] =
    ["user.user_id"]
    + [
      "abort_log", "ad_id", "altitude", "bsuid", "channel_identifier", "email_address",
      "from_phone_number", "gender", "inbound_phone_number", "input", "latitude", "longitude",
      "message_body", "message_extras", "output", "phone_number", "push_to_start_token",
      "push_token", "push_token_device_id", "to_phone_number", "tool_arguments", "update_token",
      "user_agent", "user_phone_number", "web_push_token_auth", "web_push_token_p256dh",
    ].map { Path("properties", $0) }
}
