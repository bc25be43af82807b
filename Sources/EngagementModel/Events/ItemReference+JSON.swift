extension ItemReference {
  /// The neutral JSON of the reference, without the handle.
  public var json: JSON { encoder.json }

  /// Reads the neutral JSON of a reference, with an empty handle.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    try self.init(JSONField(value: json, place: "item"))
  }

  /// The JSON that the outbox stores: the neutral JSON plus the handle. Never print or export it.
  public var storedJSON: JSON { StoredItemReference(reference: self).json }

  /// Reads the JSON that the outbox stored. Throws like `init(json:)`.
  public init(storedJSON: JSON) throws(EngagementError) {
    self = try StoredItemReference(JSONField(value: storedJSON, place: "item")).reference
  }

  fileprivate var encoder: ObjectEncoder {
    ObjectEncoder([
      "provider": id.provider, "id": id.value, "surface": surface, "container": container,
    ])
  }
}

extension ItemReference: FieldValue {
  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      ItemID(try fields.require("provider"), try fields.require("id")),
      on: try fields.require("surface"), in: try fields.read("container"))
  }
}

/// A reference with its handle.
struct StoredItemReference: FieldValue {
  var reference: ItemReference

  package var json: JSON {
    var encoder = reference.encoder
    encoder.append(["handle": reference.handle])
    return encoder.json
  }
}

extension StoredItemReference {
  init(_ field: JSONField) throws(EngagementError) {
    reference = try ItemReference(field)
    reference.handle = try ObjectDecoder(field).read("handle") ?? [:]
  }
}
