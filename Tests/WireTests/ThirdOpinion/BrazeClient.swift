import EngagementModel

/// The calls of Braze's clients: web 5.0.1 and 6.9.0, Android 30 and later, Roku 2.2.0.
///
/// They are made for each use: the leak sanitizer does not see what a global table of them holds.
enum BrazeClient {
  static var calls: [ClientCall] {
    [sync, data]
  }

  private static var digits: ClientCall.Form {
    ClientCall.Form.matching("[0-9]+")
  }

  /// Each client sends these with each call.
  private static var common: [String: ClientCall.Form] {
    [
      "Content-Type": .exactly("application/json"), "X-Braze-Api-Key": .text,
      "X-Braze-Last-Req-Ms-Ago": digits, "X-Braze-Req-Attempt": .matching("[1-9][0-9]*"),
      "X-Requested-With": .exactly("XMLHttpRequest"),
    ]
  }
  /// With SDK authentication, and after a configuration with limits.
  private static var sometimes: [String: ClientCall.Form] {
    [
      "X-Braze-Auth-Signature": .text, "X-Braze-Req-Tokens-Remaining": digits,
      "X-Braze-Ept-Req-Tokens-Remaining": digits,
    ]
  }
  private static var opening: [String: ClientCall.Form] {
    [
      "api_key": .text, "time": .whole, "sdk_version": .text, "device_id": .text,
    ]
  }
  private static var optional: [String: ClientCall.Form] {
    [
      "device": .object(
        [:],
        optional: [
          "os_version": .text, "locale": .text, "time_zone": .text, "resolution": .text,
          "browser": .text, "browser_version": .text, "user_agent": .text,
        ]),
      "app_version": .text, "app_version_code": .text, "sdk_flavor": .text,
      "sdk_metadata": .list(.text), "user_id": .text,
    ]
  }

  static var sync: ClientCall {
    ClientCall(
      name: "content_cards/sync", method: "POST", path: "/api/v3/content_cards/sync",
      headers: common.merging([
        "X-Braze-ContentCardsRequest": .exactly("true"), "X-Braze-DataRequest": .exactly("true"),
        "BRAZE-SYNC-RETRY-COUNT": digits,
      ]) { $1 }, optionalHeaders: sometimes,
      body: .object(
        opening.merging(["last_full_sync_at": .whole, "last_card_updated_at": .whole]) { $1 },
        optional: optional),
      answer: .needs([
        "last_full_sync_at": .whole, "last_card_updated_at": .whole, "cards": .list(card),
      ]))
  }

  /// What the iOS client wants of a card; the others want less. A kind that a client does not know
  /// is skipped.
  private static var card: ClientCall.Form {
    ClientCall.Form.either([
      .needs(
        frame("captioned_image|text_announcement|short_news|banner_image").merging([
          "tt": .any, "ds": .any, "u": .any, "uw": flag,
        ]) { $1 }),
      .needs(frame("control")), .needs(["tp": .exactly("hologram")]),
    ])
  }
  private static func frame(_ kinds: String) -> [String: ClientCall.Form] {
    [
      "id": .text, "tp": .matching(kinds), "ca": .whole, "ea": .whole, "v": flag, "cl": flag,
      "p": flag, "r": flag, "db": flag, "t": flag, "e": .members,
    ]
  }

  /// The vendor's documentation writes 0 and 1.
  private static var flag: ClientCall.Form {
    ClientCall.Form.either([.bool, .exactly(0), .exactly(1)])
  }

  /// `X-Braze-DataRequest` stands only on calls that ask for triggers, feeds, cards or flags.
  static var data: ClientCall {
    ClientCall(
      name: "data", method: "POST", path: "/api/v3/data", headers: common,
      optionalHeaders: sometimes,
      body: .object(
        opening.merging([
          "respond_with": .object(
            ["config": .object(["config_time": .whole])],
            optional: ["user_id": .text, "triggers": .bool, "feed": .bool])
        ]) { $1 },
        optional: optional.merging(["events": .list(event), "attributes": .list(attributes)]) { $1 }
      ),
      answer: .needs([
        "config": .needs([
          "time": .whole, "events_blacklist": .any, "attributes_blacklist": .any,
          "purchases_blacklist": .any, "content_cards": .needs(["enabled": .bool]),
        ])
      ]))
  }

  private static var event: ClientCall.Form {
    ClientCall.Form.either(
      events.map { name, data in
        .object(
          [
            "name": .exactly(.init(stringLiteral: name)), "time": .number, "data": data,
            "session_id": .text,
          ],
          optional: ["user_id": .text])
      })
  }

  /// What each event has. No client sends an event outside a session.
  private static var events: [(String, ClientCall.Form)] {
    [
      ("ss", .object([:])), ("se", .object(["d": .number])),
      ("cci", ids), ("ccic", ids), ("ccc", ids), ("ccd", ids),
      ("ce", .object(["n": .matching(#"[^\u0000-\u001f"]{1,255}"#)], optional: ["p": .members])),
      (
        "p",
        .object(
          [
            "pid": .text, "c": .matching("[A-Z]{3}"), "p": .matching(#"-?[0-9]+\.[0-9]{2}"#),
            "q": .whole,
          ], optional: ["pr": .members])
      ),
      ("pc", .object(["cid": .text])), ("set", .object(["key": .text, "value": .list(.any)])),
    ]
  }
  private static var ids: ClientCall.Form {
    ClientCall.Form.object(["ids": .list(.text)])
  }

  private static var nothing: ClientCall.Form {
    ClientCall.Form.exactly(.null)
  }
  private static var attributes: ClientCall.Form {
    ClientCall.Form.object(
      [:],
      optional: [
        "user_id": .text, "email": .either([.matching(".+@.+[.].+"), nothing]),
        "phone": .either([.matching(#"[0-9 .()+\\-]+"#), nothing]),
        "home_city": .either([.text, nothing]), "country": .either([.text, nothing]),
        "push_token": .either([.text, nothing]),
        "push_subscribe": .matching("opted_in|subscribed|unsubscribed"), "custom": .members,
      ])
  }
}
