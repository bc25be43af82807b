import EngagementJSON
package import EngagementModel
package import EngagementPlatform

extension ExtensionJournal {
  /// What an extension saw. The id stays the same, so that importing twice records once.
  package struct Entry: Hashable, Sendable {
    package var content: Content
    /// The user, if the extension knows; nil for the present user.
    package var user: UserID?

    package init(_ content: Content, of user: UserID? = nil) {
      self.content = content
      self.user = user
    }

    package enum Content: Hashable, Sendable {
      case event(EngagementEvent)
      /// What a user did to the item of the event that records it. The application adds the item's
      /// container and its adapter's handle.
      case action(ItemAction, EngagementEvent)
      /// A push as it was received, for the application to interpret. The id is that of the event
      /// that will record it.
      case push(EventID, JSON, receivedAt: Date)
    }

    package var id: EventID {
      switch content {
      case .event(let event), .action(_, let event): event.id
      case .push(let id, _, _): id
      }
    }
  }
}

extension ExtensionJournal.Entry {
  private var json: JSON {
    var encoder: ObjectEncoder
    switch content {
    case .event(let event): encoder = ObjectEncoder(["event": event.storedJSON])
    case .action(let action, let event):
      encoder = ObjectEncoder(["action": action.json, "event": event.storedJSON])
    case .push(let id, let payload, let time):
      encoder = ObjectEncoder(["push": payload, "id": id, "time": time])
    }
    encoder.append(["user": user])
    return encoder.json
  }

  /// The stored form; throws `invalidArgument` for an entry that could not be read again, such as
  /// one with a NUL.
  var bytes: [UInt8] {
    get throws(EngagementError) {
      let bytes = json.encoded()
      guard Self(bytes: bytes[...]) != nil else {
        throw EngagementError(.invalidArgument, "The entry has what the journal cannot hold")
      }
      return bytes
    }
  }

  /// Reads the stored form; nil for anything else.
  init?(bytes: ArraySlice<UInt8>) {
    do {
      let fields = try ObjectDecoder(JSONField(value: try JSON(parsing: bytes), place: "entry"))
      user = try fields.read("user")
      if let event = fields.field("event") {
        let event = try EngagementEvent(storedJSON: event.value)
        if let action = fields.field("action") {
          content = .action(try ItemAction(json: action.value), event)
        } else {
          content = .event(event)
        }
      } else {
        content = .push(
          try fields.require("id"), try fields.require("push"),
          receivedAt: try fields.require("time"))
      }
    } catch {
      return nil
    }
  }
}
