extension FieldValue where Self: ByteComparable {
  package var json: JSON { .string(rawValue) }
  package init(_ field: JSONField) throws(EngagementError) { self.init(try String(field)) }
}

extension Vendor: FieldValue {}
extension ProviderID: FieldValue {}
extension ContainerID: FieldValue {}
extension EventID: FieldValue {}
extension SessionID: FieldValue {}
extension UserID: FieldValue {}
extension Surface: FieldValue {}
extension Card.Kind: FieldValue {}
extension Component.Kind: FieldValue {}
extension EngagementEvent.Kind: FieldValue {}
extension PushRegistration.Service: FieldValue {}

extension FieldValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  package var json: JSON { .string(rawValue) }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let value = Self(rawValue: try String(field)) else {
      throw field.fault("one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = value
  }
}

extension PushEnvironment: FieldValue {}
extension Template.Kind: FieldValue {}
extension Template.ArgumentType: FieldValue {}
