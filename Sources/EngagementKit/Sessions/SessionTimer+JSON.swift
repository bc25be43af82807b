import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

extension SessionTimer.Kept {
  var json: JSON {
    var encoder = ObjectEncoder([
      "seenAt": seenAt, "length": length.seconds, "previousLength": previousLength?.seconds,
    ])
    if let session { encoder.append(Self.members(of: session)) }
    if !former.isEmpty {
      encoder.append(["former": JSON.array(former.map { ObjectEncoder(Self.members(of: $0)).json })]
      )
    }
    return encoder.json
  }

  private static func members(
    of session: Session
  ) -> KeyValuePairs<String, (any FieldValue)?> {
    [
      "id": session.id, "startedAt": session.startedAt, "isFirst": session.isFirst,
      "lengthBefore": session.previousLength?.seconds,
    ]
  }

  /// A provider's part of what `SessionTracker` stores.
  init?(in stored: JSON, of provider: ProviderID) {
    guard let json = stored["clocks"]?[provider.rawValue] else { return nil }
    self.init(json: json)
  }

  /// Reads what `json` writes; nil for anything else.
  init?(json: JSON) {
    guard let fields = try? ObjectDecoder(JSONField(value: json, place: "session")) else {
      return nil
    }
    do throws(EngagementError) {
      length = try Self.duration(fields, "length") ?? .zero
      previousLength = try Self.duration(fields, "previousLength")
      seenAt = try fields.read("seenAt")
      former = (json["former"]?.array ?? []).suffix(SessionTimer.formerCount).compactMap { json in
        let fields = try? ObjectDecoder(JSONField(value: json, place: "session"))
        return fields.flatMap { try? Self.session(in: $0) }
      }
      session = try Self.session(in: fields)
    } catch {
      return nil
    }
  }

  private static func session(in fields: ObjectDecoder) throws(EngagementError) -> Session? {
    guard let id: SessionID = try fields.read("id") else { return nil }
    return Session(
      id, startedAt: try fields.require("startedAt"), isFirst: try fields.read("isFirst") ?? false,
      previousLength: try duration(fields, "lengthBefore"))
  }

  /// A plausible length, since the file may contain anything.
  private static func duration(
    _ fields: ObjectDecoder, _ name: String
  ) throws(EngagementError) -> Duration? {
    guard let seconds: Double = try fields.read(name) else { return nil }
    return .seconds(min(max(seconds, 0), 1e9))
  }
}
