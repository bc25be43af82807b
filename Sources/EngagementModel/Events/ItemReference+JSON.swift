extension ItemReference {
  /// The neutral JSON of the reference, without the handle.
  public var json: JSON { encoder.json }

  /// Reads the neutral JSON of a reference; the handle comes back empty.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
  public init(json: JSON) throws(EngagementError) {
    try self.init(JSONField(value: json, place: "item"))
  }

  /// What the outbox keeps: the neutral JSON and with it the handle. Not for printing, nor for
  /// an export.
  public var storedJSON: JSON { StoredItemReference(reference: self).json }

  /// Reads what the outbox kept; throws as `init(json:)` does.
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
