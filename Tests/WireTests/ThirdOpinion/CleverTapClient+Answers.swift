import EngagementModel

/// What the clients read of the answers.
extension CleverTapClient {
  // Android inbox/CTMessageDAO.java and CTInboxMessage.java; iOS CleverTapInboxMessage.m.
  private static var messageMembers: [String: ClientCall.Form] {
    [
      "_id": .text, "wzrk_id": .text, "wzrk_pivot": .text, "date": .whole, "wzrk_ttl": .whole,
      "msg": .needs([
        "type": .matching("simple|message-icon|carousel|carousel-image"), "bg": .text,
        "orientation": .matching("[pl]"), "tags": .any,
        "content": .list(
          .needs([
            "title": .needs(["text": .string]), "message": .needs(["text": .string]),
            "action": .needs([
              "hasUrl": .bool, "hasLinks": .bool, "links": .any,
              "url": .needs([
                "ios": .needs(["text": .string]), "android": .needs(["text": .string]),
              ]),
            ]),
          ])),
      ]),
    ]
  }
  static var message: ClientCall.Form { ClientCall.Form.needs(messageMembers) }
  static var readMessage: ClientCall.Form {
    ClientCall.Form.needs(messageMembers.merging(["isRead": .bool]) { $1 })
  }

  // Android inapp/CTInAppNotification.kt and inapp/customtemplates/CustomTemplateInAppData.kt; iOS
  // CTInAppNotification.m.
  private static var campaignMembers: [String: ClientCall.Form] {
    ["ti": .whole, "wzrk_id": .text, "wzrk_pivot": .text, "wzrk_ttl": .whole]
      .merging(rules) { $1 }
  }
  static var campaign: ClientCall.Form {
    ClientCall.Form.either([
      .needs(
        campaignMembers.merging([
          "type": .exactly("custom-code"), "templateName": .text, "templateId": .text,
          "vars": .members,
        ]) { $1 }),
      .needs(
        campaignMembers.merging([
          "type": .matching("half-interstitial"), "title": .needs(["text": .text]),
          "message": .needs(["text": .text]),
          "media": .needs(["url": .text, "content_type": .text]),
          "buttons": .list(.needs(["text": .text, "actions": .needs(["type": .text])])),
        ]) { $1 }),
    ])
  }

  // Android inapp/data/InAppResponseAdapter.kt and inapp/evaluation/EvaluationManager.kt; iOS
  // CTInAppEvaluationManager.m.
  private static var rules: [String: ClientCall.Form] {
    [
      "whenTriggers": .either([.exactly([]), .list(.needs(["eventName": .text]))]),
      "frequencyLimits": .either([.exactly([]), .list(.needs(["type": .text, "limit": .whole]))]),
      "occurrenceLimits": .either([.exactly([]), .list(.needs(["type": .text, "limit": .whole]))]),
      "priority": .whole,
    ]
  }
  static var announcement: ClientCall.Form {
    ClientCall.Form.needs(rules.merging(["ti": .whole]) { $1 })
  }
}
