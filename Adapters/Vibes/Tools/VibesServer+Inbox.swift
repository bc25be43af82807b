import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension VibesServer {
  /// A person has no more messages than these, the newest.
  static let limit = 200

  mutating func inboxCall(
    _ key: String, _ call: VendorRequest, _ device: String, _ uid: String, at now: Date
  ) -> VendorAnswer {
    let person = devices[device]?.person ?? ""
    if key == "GET persons/*/messages" {
      let messages = settings.inboxEnabled ? visible(to: person, at: now) : []
      return VendorAnswer(
        reply: VendorReply(
          json: VendorReply.array(of: messages.prefix(Self.limit).map { listed($0, for: person) })),
        summary: "inbox of \(user(of: device)): \(min(messages.count, Self.limit)) messages")
    }
    guard let message = visible(to: person, at: now).first(where: { $0.uid == uid }) else {
      return Self.failure(404, "There is no such message")
    }
    guard call.method == "PUT" else {
      return VendorAnswer(
        reply: VendorReply(json: wire(message, for: person)), summary: "message \(uid)")
    }
    return change(message, call, device, person)
  }

  private mutating func change(
    _ message: VibesMessage, _ call: VendorRequest, _ device: String, _ person: String
  ) -> VendorAnswer {
    let body = Self.object(call)
    let old = persons[person]?.messages[message.uid] ?? VibesPerson.MessageState()
    var state = old
    var effects: [VendorEffect] = []
    if let read = body?["read"]?.bool {
      state.isRead = read
      if read != (old.isRead ?? message.members["read"]?.bool ?? false) {
        effects.append(effect(read ? "read" : "unread", message.uid, device))
      }
    }
    if let text = body?["expires_at"] {
      guard let date = text.string.flatMap({ ISO8601.date(from: $0) }) else {
        return Self.failure(422, "The field expires_at is not a time of ISO 8601")
      }
      state.expiresAt = date
      if date != old.expiresAt { effects.append(effect("expire", message.uid, device)) }
    }
    guard body?["read"]?.bool != nil || body?["expires_at"] != nil else {
      return Self.failure(422, "There is neither read nor expires_at")
    }
    persons[person]?.messages[message.uid] = state
    return VendorAnswer(
      reply: VendorReply(json: wire(message, for: person)), effects: effects,
      summary: "message \(message.uid) changed")
  }

  /// What is not expired, newest first.
  private func visible(to person: String, at now: Date) -> [VibesMessage] {
    let user = persons[person]?.externalID.map { User(UserID($0)) } ?? .anonymous
    return messages.filter { message in
      guard message.owner == nil || message.owner == user else { return false }
      let own = persons[person]?.messages[message.uid]?.expiresAt
      let end = own ?? message.members["expires_at"]?.string.flatMap { ISO8601.date(from: $0) }
      return end.map { $0 > now } ?? true
    }.sorted { $0.createdAt > $1.createdAt }
  }

  /// The message as it stands in a list.
  private func listed(_ message: VibesMessage, for person: String) -> [UInt8] {
    let isUntouched = persons[person]?.messages[message.uid] == nil
    if let bytes = message.bytes, isUntouched { return bytes }
    return wire(message, for: person).encoded()
  }

  private func wire(_ message: VibesMessage, for person: String) -> JSON {
    var members = message.members
    let state = persons[person]?.messages[message.uid]
    if let isRead = state?.isRead { members["read"] = .bool(isRead) }
    if let end = state?.expiresAt.flatMap({ ISO8601.text(of: $0) }) {
      // The vendor writes UTC as an offset.
      members["expires_at"] = .string("\(end.dropLast())+00:00")
    }
    return .object(members)
  }
}
