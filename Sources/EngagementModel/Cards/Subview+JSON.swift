/// The subviews of a card as one object by id. If several have the same id, the first is kept.
struct Subviews: FieldValue {
  var list: [Card.Subview]

  var member: JSON? { list.isEmpty ? Optional.none : json }

  package var json: JSON {
    var seen: Set<MemberKey> = []
    let unique = list.filter { seen.insert(MemberKey($0.id)).inserted }
    return .object(
      JSONObject(uniqueMembers: unique.map { JSONObject.Member($0.id, $0.content.json) }))
  }
}

extension Subviews {
  init(_ field: JSONField) throws(EngagementError) {
    list = []
    for (index, member) in try JSONObject(field).members.enumerated() {
      // The error names the member by number: an id is a vendor's text and must not be in an error.
      let place = "\(field.place)[\(index)]"
      list.append(
        try Card.Subview(member.key, ObjectDecoder(JSONField(value: member.value, place: place))))
    }
  }
}

extension Card.Subview {
  fileprivate var content: ObjectEncoder {
    ObjectEncoder(["title": title, "components": components, "buttons": buttons])
  }

  fileprivate init(_ id: String, _ fields: ObjectDecoder) throws(EngagementError) {
    self.init(
      id, title: try fields.read("title"), components: try fields.read("components") ?? [],
      buttons: try fields.read("buttons") ?? [])
  }
}
