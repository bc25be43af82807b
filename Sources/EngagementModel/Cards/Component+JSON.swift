extension Component {
  /// The greatest depth of components in JSON that is read. The limit is ours, far beyond what
  /// vendors send; it keeps any input from exhausting the stack.
  public static let maximumDepth = 64

  /// The names that attributes may not use.
  static let takenNames = ["type", "children"]
}

/// The JSON has the kind as `type`, the attributes and the children. An attribute named `type` or
/// `children` is left out.
extension Component: FieldValue {
  package var json: JSON {
    var object = ObjectEncoder(["type": kind])
    object.append(attributes, except: Self.takenNames)
    object.append(["children": children])
    return object.json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    try self.init(field, depth: 1)
  }

  private init(_ field: JSONField, depth: Int) throws(EngagementError) {
    guard depth <= Self.maximumDepth else {
      throw field.fault("nested less than \(Self.maximumDepth) deep")
    }
    let fields = try ObjectDecoder(field)
    self.init(try fields.require("type"), fields.attributes(except: Self.takenNames))
    for child in try fields.field("children")?.elements() ?? [] {
      children.append(try Component(child, depth: depth + 1))
    }
  }
}
