import EngagementFormats
import EngagementJSON
import EngagementModel

extension EngagementEvent {
  /// The bytes of `storedJSON`, written without building a value for each field.
  ///
  /// Throws `invalidArgument` for a time that cannot be written.
  func storedBody() throws(EngagementError) -> [UInt8] {
    guard let time = ISO8601.text(of: time) else { throw .timelessEvent }
    var writer = JSONWriter(reservingCapacity: 512)
    writer.beginObject()
    writer.member("id", id.rawValue)
    writer.member("kind", kind.rawValue)
    writer.member("time", time)
    writer.member("zoneOffset", Int64(zoneOffset))
    if let session { writer.member("session", session.rawValue) }
    writer.member("sequence", sequence)
    if let provider { writer.member("provider", provider.rawValue) }
    if let item { writer.item(item) }
    if let name { writer.member("name", name) }
    if !properties.isEmpty { writer.member("properties", .object(properties)) }
    writer.endObject()
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func item(_ item: ItemReference) {
    key("item")
    beginObject()
    member("provider", item.id.provider.rawValue)
    member("id", item.id.value)
    member("surface", item.surface.rawValue)
    if let container = item.container { member("container", container.rawValue) }
    if !item.handle.isEmpty { member("handle", .object(item.handle)) }
    endObject()
  }
}

extension EngagementError {
  static let timelessEvent = EngagementError(
    .invalidArgument, "The event's time is outside the years 0000 to 9999.")
}
