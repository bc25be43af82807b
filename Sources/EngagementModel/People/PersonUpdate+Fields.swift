extension PersonUpdate {
  /// The fields that an update can change.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case externalID, name, email, phone, city, country, region, custom, notifications, timeFrames
  }

  /// The fields that this update changes.
  public var fields: Set<Field> { Set(Field.allCases.filter(changes)) }

  private func changes(_ field: Field) -> Bool {
    switch field {
    case .externalID: externalID != nil
    case .name: name != nil
    case .email: email != nil
    case .phone: phone != nil
    case .city: city != nil
    case .country: country != nil
    case .region: region != nil
    case .custom: !custom.isEmpty
    case .notifications: notifications != nil
    case .timeFrames: timeFrames?.isEmpty == false
    }
  }

  /// This update without the changes of other fields.
  package func limited(to fields: Set<Field>) -> PersonUpdate {
    var update = self
    for field in Field.allCases where !fields.contains(field) { update.leave(field) }
    return update
  }

  private mutating func leave(_ field: Field) {
    switch field {
    case .externalID: externalID = nil
    case .name: name = nil
    case .email: email = nil
    case .phone: phone = nil
    case .city: city = nil
    case .country: country = nil
    case .region: region = nil
    case .custom: custom = JSONObject()
    case .notifications: notifications = nil
    case .timeFrames: timeFrames = nil
    }
  }
}
