extension EngagementEvent {
  /// The neutral JSON of the event, without its item's handle. The time keeps its milliseconds.
  public var json: JSON { json(item: item) }

  /// Reads the neutral JSON of an event, with an empty handle for its item.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "event"))
    try self.init(fields, item: fields.read("item"))
  }

  /// The JSON that the outbox stores: the neutral JSON plus the item's handle. Never print or
  /// export it.
  public var storedJSON: JSON { json(item: item.map(StoredItemReference.init(reference:))) }

  /// Reads the JSON that the outbox stored. Throws like `init(json:)`.
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
