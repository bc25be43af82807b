import EngagementModel

/// The calls of Vibes' clients: iOS 4.9.0 and Android 4.12.1.
enum VibesClient {
  static let calls = [
    register, renew, update, unregister, registerPush, unregisterPush, assign, person, messages,
    message, change, events, settings, callback,
  ]

  private static let device = "/mobile_apps/*/devices/*"
  private static let mailbox = "/mobile_apps/*/persons/*/messages"
  private static let signed: [String: ClientCall.Form] = [
    "Authorization": .matching("MobileAppToken .+")
  ]
  private static let json: [String: ClientCall.Form] = [
    "Content-Type": .exactly("application/json")
  ]
  private static let signedJSON = signed.merging(json) { $1 }

  /// iOS sends `advertising_id` and `location` as null, Android leaves them out.
  private static let info = ClientCall.Form.object([
    "device": .object(
      [
        "os": .matching("iOS|Android"), "os_version": .text, "sdk_version": .text,
        "app_version": .text, "hardware_make": .text, "hardware_model": .text,
        "locale": .matching("[a-zA-Z]+(_[A-Za-z0-9]+)*"), "timezone": .text,
      ],
      optional: [
        "advertising_id": .either([.text, .exactly(.null)]),
        "location": .either([
          .exactly(.null), .object(["latitude": .number, "longitude": .number]),
        ]),
      ])
  ])

  private static let credential = ClientCall.Form.needs([
    "auth_token": .text, "device": .needs(["vibes_device_id": .text]),
  ])
  private static let item = ClientCall.Form.needs(["message_uid": .text, "content": .text])

  static let register = ClientCall(
    name: "register", method: "POST", path: "/mobile_apps/*/devices", headers: json, body: info,
    answer: credential)
  static let renew = ClientCall(
    name: "renew", method: "PUT", path: device, headers: signedJSON, body: info, answer: credential)
  static let update = ClientCall(
    name: "update", method: "PATCH", path: device, headers: signedJSON, body: info)
  static let unregister = ClientCall(
    name: "unregister", method: "DELETE", path: device, headers: signed)
  static let registerPush = ClientCall(
    name: "register push", method: "POST", path: "\(device)/push_registration",
    headers: signedJSON, body: .object(["device": .object(["push_token": .text])]))
  static let unregisterPush = ClientCall(
    name: "unregister push", method: "DELETE", path: "\(device)/push_registration",
    headers: signed)
  static let assign = ClientCall(
    name: "assign", method: "POST", path: "\(device)/assign", headers: signedJSON,
    body: .object(["external_person_id": .text]))
  static let person = ClientCall(
    name: "person", method: "GET", path: "\(device)/person", headers: signed,
    // Android wants the application's id too, be it null.
    answer: .needs(["person_key": .text, "external_person_id": .any]))
  static let messages = ClientCall(
    name: "messages", method: "GET", path: mailbox, headers: signed, answer: .list(item))
  static let message = ClientCall(
    name: "message", method: "GET", path: "\(mailbox)/*", headers: signed, answer: item)
  static let change = ClientCall(
    name: "change", method: "PUT", path: "\(mailbox)/*", headers: signedJSON,
    body: .either([
      .object(["read": .exactly(true)]), .object(["expires_at": time]),
    ]), answer: item)
  static let settings = ClientCall(
    name: "settings", method: "GET", path: "/mobile_apps/*", headers: signed,
    answer: .needs(["app_id": .text, "inbox_enabled": .bool]))
  static let callback = ClientCall(
    name: "callback", method: "PUT", path: "/mobile_apps/*/migrations/callbacks",
    headers: signedJSON, body: .object(["migration_item_id": .text, "vibes_device_id": .text]))

  /// One type in a batch, named in the header.
  static let events = ClientCall(
    name: "events", method: "POST", path: "\(device)/events",
    headers: signedJSON.merging(["X-Event-Type": type]) { $1 },
    body: .object([
      "events": .list(
        .object([
          "uuid": .matching("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"), "type": type,
          "timestamp": time, "attributes": .members,
        ]))
    ]))

  private static let type = ClientCall.Form.matching(
    "launch|clickthru|push_receive|inbox_open|inbox_fetch")
  private static let time = ClientCall.Form.matching(
    #"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}(Z|[+-][0-9]{2}:[0-9]{2})"#)
}
