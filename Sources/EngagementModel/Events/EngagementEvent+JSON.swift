extension EngagementEvent {
  /// The neutral JSON of the event, without the handle of its item. The time keeps its
  /// milliseconds.
  public var json: JSON { json(item: item) }

  /// Reads the neutral JSON of an event; the handle of its item comes back empty.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "event"))
    try self.init(fields, item: fields.read("item"))
  }

  /// What the outbox keeps: the neutral JSON and with it the handle of the item. Not for
  /// printing, nor for an export.
  public var storedJSON: JSON { json(item: item.map(StoredItemReference.init(reference:))) }

  /// Reads what the outbox kept; throws as `init(json:)` does.
  public init(storedJSON: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: storedJSON, place: "event"))
    let item: StoredItemReference? = try fields.read("item")
    try self.init(fields, item: item?.reference)
  }

  private func json(item: (any FieldValue)?) -> JSON {
    ObjectEncoder([
      "id": id, "kind": kind, "time": time, "zoneOffset": zoneOffset, "session": session,
      "sequence": sequence, "provider": provider, "item": item, "name": name,
      "properties": properties,
    ]).json
  }

  private init(_ fields: ObjectDecoder, item: ItemReference?) throws(EngagementError) {
    self.init(
      id: try fields.require("id"), kind: try fields.require("kind"),
      time: try fields.require("time"), zoneOffset: try fields.read("zoneOffset") ?? 0,
      session: try fields.read("session"), sequence: try fields.read("sequence") ?? 0,
      provider: try fields.read("provider"), item: item, name: try fields.read("name"),
      properties: try fields.read("properties") ?? [:])
  }
}
