import EngagementModel

/// The calls of Vibes' clients: iOS 4.9.0 and Android 4.12.1.
enum VibesClient {
  static var calls: [ClientCall] {
    [
      register, renew, update, unregister, registerPush, unregisterPush, assign, person, messages,
      message, change, events, settings, callback,
    ]
  }

  private static var device: String {
    "/mobile_apps/*/devices/*"
  }
  private static var mailbox: String {
    "/mobile_apps/*/persons/*/messages"
  }
  private static var signed: [String: ClientCall.Form] {
    [
      "Authorization": .matching("MobileAppToken .+")
    ]
  }
  private static var json: [String: ClientCall.Form] {
    [
      "Content-Type": .exactly("application/json")
    ]
  }
  private static var signedJSON: [String: ClientCall.Form] {
    signed.merging(json) { $1 }
  }

  /// iOS sends `advertising_id` and `location` as null, Android leaves them out.
  private static var info: ClientCall.Form {
    ClientCall.Form.object([
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
  }

  private static var credential: ClientCall.Form {
    ClientCall.Form.needs([
      "auth_token": .text, "device": .needs(["vibes_device_id": .text]),
    ])
  }
  private static var item: ClientCall.Form {
    ClientCall.Form.needs(["message_uid": .text, "content": .text])
  }

  static var register: ClientCall {
    ClientCall(
      name: "register", method: "POST", path: "/mobile_apps/*/devices", headers: json, body: info,
      answer: credential)
  }
  static var renew: ClientCall {
    ClientCall(
      name: "renew", method: "PUT", path: device, headers: signedJSON, body: info,
      answer: credential)
  }
  static var update: ClientCall {
    ClientCall(
      name: "update", method: "PATCH", path: device, headers: signedJSON, body: info)
  }
  static var unregister: ClientCall {
    ClientCall(
      name: "unregister", method: "DELETE", path: device, headers: signed)
  }
  static var registerPush: ClientCall {
    ClientCall(
      name: "register push", method: "POST", path: "\(device)/push_registration",
      headers: signedJSON, body: .object(["device": .object(["push_token": .text])]))
  }
  static var unregisterPush: ClientCall {
    ClientCall(
      name: "unregister push", method: "DELETE", path: "\(device)/push_registration",
      headers: signed)
  }
  static var assign: ClientCall {
    ClientCall(
      name: "assign", method: "POST", path: "\(device)/assign", headers: signedJSON,
      body: .object(["external_person_id": .text]))
  }
  static var person: ClientCall {
    ClientCall(
      name: "person", method: "GET", path: "\(device)/person", headers: signed,
      // Android wants the application's id too, be it null.
      answer: .needs(["person_key": .text, "external_person_id": .any]))
  }
  static var messages: ClientCall {
    ClientCall(
      name: "messages", method: "GET", path: mailbox, headers: signed, answer: .list(item))
  }
  static var message: ClientCall {
    ClientCall(
      name: "message", method: "GET", path: "\(mailbox)/*", headers: signed, answer: item)
  }
  static var change: ClientCall {
    ClientCall(
      name: "change", method: "PUT", path: "\(mailbox)/*", headers: signedJSON,
      body: .either([
        .object(["read": .exactly(true)]), .object(["expires_at": time]),
      ]), answer: item)
  }
  static var settings: ClientCall {
    ClientCall(
      name: "settings", method: "GET", path: "/mobile_apps/*", headers: signed,
      answer: .needs(["app_id": .text, "inbox_enabled": .bool]))
  }
  static var callback: ClientCall {
    ClientCall(
      name: "callback", method: "PUT", path: "/mobile_apps/*/migrations/callbacks",
      headers: signedJSON, body: .object(["migration_item_id": .text, "vibes_device_id": .text]))
  }

  /// One type in a batch, named in the header.
  static var events: ClientCall {
    ClientCall(
      name: "events", method: "POST", path: "\(device)/events",
      headers: signedJSON.merging(["X-Event-Type": type]) { $1 },
      body: .object([
        "events": .list(
          .object([
            "uuid": .matching("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"), "type": type,
            "timestamp": time, "attributes": .members,
          ]))
      ]))
  }

  private static var type: ClientCall.Form {
    ClientCall.Form.matching(
      "launch|clickthru|push_receive|inbox_open|inbox_fetch")
  }
  private static var time: ClientCall.Form {
    ClientCall.Form.matching(
      #"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}(Z|[+-][0-9]{2}:[0-9]{2})"#)
  }
}
