import EngagementModel

/// The calls of CleverTap's phone clients: Android at 7129b125, iOS at 3af43fc7. The web client speaks
/// another protocol.
enum CleverTapClient {
  static var calls: [ClientCall] {
    [handshake, batch, templates, messages, deletion]
  }

  private static var digits: ClientCall.Form { ClientCall.Form.matching("[0-9]+") }

  // Android network/api/CtApi.kt; iOS CTRequest.m and CTRequestSender.m.
  private static var headers: [String: ClientCall.Form] {
    [
      "Content-Type": .exactly("application/json; charset=utf-8"), "X-CleverTap-Account-Id": .text,
      "X-CleverTap-Token": .text,
    ]
  }

  // Android network/api/CtApi.kt; iOS CleverTap.m, endpointForQueue.
  private static var query: [String: ClientCall.Form] {
    ["os": .matching("iOS|Android"), "t": digits, "z": .text, "ts": digits]
  }

  // Android network/QueueHeaderBuilder.kt; iOS CleverTap.m, batchHeaderForQueue.
  private static var meta: ClientCall.Form {
    ClientCall.Form.object(
      [
        "type": .exactly("meta"), "g": .text, "tk": .text, "id": .text, "af": fields,
        "ddnd": .bool, "frs": .bool, "fl": .bool, "l_ts": .whole, "f_ts": .whole,
      ],
      optional: [
        "arp": .members, "ref": .members, "wzrk_ref": .members, "regURLs": .list(.text),
        "debug": .exactly(true), "imp": .whole,
        "tlc": .either([.exactly([]), .list(.list(.any))]),
        // Android inapp/evaluation/EvaluationManager.kt; iOS CTInAppEvaluationManager.m.
        "inapps_eval": .list(.either([.whole, digits])),
        "inapps_suppressed": .list(
          .object(["wzrk_id": .text, "wzrk_pivot": .text], optional: ["wzrk_cgId": .whole])),
        // Android alone.
        "_i": .whole, "_j": .whole, "ct_pi": .any, "bk": .exactly(1), "rtl": .any, "rct": .whole,
        "ait": .whole, "d_src": .text,
      ])
  }

  // Android utils/CTJsonConverter.java; iOS CleverTap.m, generateAppFields. Both send the size of the
  // screen, which a tool without one cannot know.
  private static var fields: ClientCall.Form {
    ClientCall.Form.needs([
      "Version": .text, "Build": .text, "SDK Version": .whole, "OS Version": .text, "OS": .text,
      "Make": .text, "Model": .text, "useIP": .bool, "locale": .text,
    ])
  }

  // MARK: Calls

  // Android sends the query without a time, iOS sends none.
  static var handshake: ClientCall {
    ClientCall(
      name: "handshake", method: "GET", path: "/hello", headers: headers,
      optionalHeaders: ["X-CleverTap-Handshake-Domain": .text],
      query: query.filter { $0.key != "ts" }, isQueryOptional: true)
  }

  // Android network/NetworkManager.kt sends 50 items at most; iOS CleverTap.m, sendQueue, 49.
  static var batch: ClientCall {
    ClientCall(
      name: "batch", method: "POST", path: "/a1", headers: headers, query: query,
      body: .headed(meta, rest: item, atMost: 49),
      // iOS CleverTap+InAppsResponseHandler.m forgets its campaigns without the mode, and takes ten
      // for a cap that is missing.
      answer: .needs(["imc": .whole, "imp": .whole, "inapp_delivery_mode": .matching("CS|SS")]))
  }

  // Android network/api/DefineTemplatesRequestBody.kt; iOS CTCustomTemplatesManager.m and
  // CTRequestFactory.m, which sends no query.
  static var templates: ClientCall {
    ClientCall(
      name: "templates", method: "POST", path: "/defineTemplates", headers: headers, query: query,
      isQueryOptional: true,
      body: .headed(
        meta,
        rest: .object([
          "type": .exactly("templatePayload"), "definitions": .values(keys: ".+", definition),
        ]), atMost: 1), answer: .members)
  }

  // Android network/fetch/InboxFetchCall.kt; iOS CleverTap.m, which sends no time and no session.
  static var messages: ClientCall {
    ClientCall(
      name: "messages", method: "POST", path: "/inbox/v2/getMessages", headers: headers,
      query: query,
      body: .headed(
        meta,
        rest: .object(
          [
            "type": .exactly("event"), "evtName": .exactly("wzrk_fetch"),
            "evtData": .exactly(["t": 7]),
          ], optional: stamp.merging(sometimes) { $1 }), atMost: 1),
      answer: .needs(["inbox_notifs_v2": .list(readMessage)]))
  }

  // Android network/fetch/InboxDeleteCall.kt adds all that the message has with `wzrk_`; iOS
  // CleverTap.m sends three members.
  static var deletion: ClientCall {
    ClientCall(
      name: "deletion", method: "POST", path: "/inbox/v2/deleteMessages", headers: headers,
      query: query,
      body: .headed(
        meta,
        rest: .object(
          [
            "type": .exactly("deleteMessages"),
            "messages": .list(
              .needs(["wzrk_mid": .text, "wzrk_id": .text, "wzrk_pivot": .text])),
          ], optional: stamp.merging(sometimes) { $1 }), atMost: 1))
  }

  // MARK: Items

  // Android events/EventQueueManager.kt, processEvent; iOS CleverTap.m, addEventMeta.
  private static var stamp: [String: ClientCall.Form] {
    [
      "ep": .whole, "s": .whole, "pg": .whole, "lsl": .whole, "f": .bool,
    ]
  }
  private static var sometimes: [String: ClientCall.Form] {
    [
      "n": .text, "pai": .text, "dsync": .bool,
      "wzrk_error": .object(["c": .whole, "d": .text]),
    ]
  }

  private static func item(
    _ type: String, _ members: [String: ClientCall.Form],
    optional: [String: ClientCall.Form] = [:]
  ) -> ClientCall.Form {
    ClientCall.Form.object(
      stamp.merging(members) { $1 }.merging(["type": .exactly(.string(type))]) { $1 },
      optional: sometimes.merging(optional) { $1 })
  }

  private static var item: ClientCall.Form {
    ClientCall.Form.either([
      item("event", ["evtName": .text], optional: ["evtData": .members]),
      // Android events/EventQueueManager.kt, processPushNotificationViewedEvent.
      .object(
        [
          "type": .exactly("event"), "evtName": .exactly("Notification Viewed"),
          "evtData": .needs(["wzrk_id": .text]), "ep": .whole, "s": .whole,
        ], optional: sometimes),
      item("page", [:]), item("ping", [:], optional: ["mc": .any, "nt": .text]),
      item("profile", ["profile": .values(keys: #"[^:$'"\\]{1,120}"#, attribute)]),
      // Android pushnotification/PushProviders.java; iOS CleverTap.m, pushDeviceToken.
      item(
        "data",
        [
          "data": .object([
            "action": .matching("register|unregister"), "id": .text, "type": .text,
          ])
        ]),
    ])
  }

  // Android profile/ProfileCommand.kt; iOS CTProfileBuilder.m.
  private static var attribute: ClientCall.Form {
    let plain: [ClientCall.Form] = [.string, .number, .bool, .list(.any)]
    let commands: [ClientCall.Form] = [
      .object(["$set": values]), .object(["$add": values]), .object(["$remove": values]),
      .object(["$incr": .number]), .object(["$decr": .number]),
      .object(["$delete": .either([.exactly(true), .exactly(1)])]),
    ]
    return .either(
      plain + commands + [.values(keys: "[^$].*", .either(plain + commands))])
  }
  private static var values: ClientCall.Form { .either([.text, .number, .list(.any)]) }

  private static var definition: ClientCall.Form {
    func argument(_ type: String, _ value: ClientCall.Form?) -> ClientCall.Form {
      var members: [String: ClientCall.Form] = ["type": .exactly(.string(type)), "order": .whole]
      members["defaultValue"] = value
      return .object(members)
    }
    let primitives = [
      argument("string", .string), argument("number", .number), argument("boolean", .bool),
      argument("file", nil),
    ]
    let none = ClientCall.Form.exactly([:])
    return .either([
      .object([
        "type": .exactly("template"),
        "vars": .either([
          none, .values(keys: ".+", .either(primitives + [argument("action", nil)])),
        ]),
      ]),
      .object([
        "type": .exactly("function"),
        "vars": .either([none, .values(keys: ".+", .either(primitives))]),
      ]),
    ])
  }
}
