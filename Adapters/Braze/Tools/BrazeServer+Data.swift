import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// `POST /api/v3/data` and `POST /api/v3/template`.
extension BrazeServer {
  mutating func data(_ request: BrazeRequest, at now: Date) -> VendorAnswer {
    var effects: [VendorEffect] = []
    for attributes in request.body["attributes"]?.array ?? [] {
      effects += take(attributes: attributes, from: request)
    }
    for event in request.body["events"]?.array ?? [] {
      effects += take(event: event, from: request, at: now)
    }
    let events = request.body["events"]?.array ?? []
    var summary = "\(events.count) events, \(effects.count) effects of \(request.user)"
    let stray = events.count { $0["session_id"]?.string?.isEmpty ?? true }
    if settings.requiresSession, stray > 0 { summary += ", \(stray) events outside a session" }
    var reply = VendorReply(201, json: .object(response(to: request)))
    if let pause = settings.dataPause { reply.headers.append(("Retry-After", "\(pause)")) }
    return VendorAnswer(reply: reply, effects: effects, summary: summary)
  }

  private func response(to request: BrazeRequest) -> JSONObject {
    var response: JSONObject = ["message": "success"]
    let wanted = request.respondWith
    if let known = wanted?["config"]?["config_time"]?.integer, known < settings.changedAt {
      response["config"] = settings.config
    }
    if wanted?["triggers"]?.bool == true {
      response["triggers"] = .array(BrazeSeed.triggers)
    }
    return response
  }

  func template(_ request: BrazeRequest) -> VendorAnswer {
    let id = request.body["template"]?["trigger_id"]?.string ?? ""
    let message: JSON = [
      "type": "inapp",
      "data": [
        "type": "SLIDEUP", "message": "Your order is ready at the counter.",
        "click_action": "NONE", "use_webview": false, "message_close": "SWIPE",
        "orientation": "ANY", "trigger_id": .string(id),
      ],
    ]
    return VendorAnswer(
      reply: VendorReply(201, json: ["message": "success", "templated_message": message]),
      summary: "template")
  }

  // MARK: Attributes

  private mutating func take(
    attributes: JSON, from request: BrazeRequest
  ) -> [VendorEffect] {
    guard let attributes = attributes.object else { return [] }
    let user = name(attributes["user_id"], request)
    var effects: [VendorEffect] = []
    var profile = profiles[user] ?? BrazeProfile()
    for member in attributes.members where member.key != "user_id" {
      if member.key == "custom" {
        for custom in member.value.object?.members ?? [] {
          guard !settings.attributesBlacklist.contains(custom.key) else { continue }
          profile.custom[custom.key] = custom.value == .null ? nil : custom.value
          effects.append(VendorEffect("attribute", of: "custom.\(custom.key)", by: user))
        }
      } else if member.key == "push_token" {
        profile.attributes["push_token"] = member.value == .null ? nil : member.value
        if member.value != .null { takeOver(member.value, from: user) }
        effects.append(
          VendorEffect("push_token", of: Self.fingerprint(member.value), by: user))
      } else {
        profile.attributes[member.key] = member.value == .null ? nil : member.value
        effects.append(VendorEffect("attribute", of: member.key, by: user))
      }
    }
    profiles[user] = profile
    return effects
  }

  /// A device has one user at this vendor: its token goes from the profile that has it to the next one.
  private mutating func takeOver(_ token: JSON, from user: String) {
    for (other, profile) in profiles
    where other != user && profile.attributes["push_token"] == token {
      profiles[other]?.attributes["push_token"] = nil
    }
  }

  /// What tells one push token from another and gives neither away.
  private static func fingerprint(_ token: JSON) -> String {
    guard let token = token.string, !token.isEmpty else { return "none" }
    return String(SHA256.digest(of: token).description.prefix(12))
  }

  func name(_ json: JSON?, _ request: BrazeRequest) -> String {
    guard let user = json?.string, !user.isEmpty else { return request.user }
    return user
  }
}
