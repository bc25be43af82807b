import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// The containers whose cards may send pushes, as the application chose them last. They are kept to
/// be told again for the next user.
enum AtomicContainers {
  private static let name = "push.containers"

  /// Keeps what Atomic has been told.
  static func keeping(
    _ containers: [ContainerID], _ notifications: Bool?
  ) -> Change {
    var object: JSONObject = ["containers": .array(containers.map { .string($0.rawValue) })]
    object["notifications"] = notifications.map(JSON.bool)
    return .keep(
      .installation, name, String(decoding: JSON.object(object).encoded(), as: UTF8.self))
  }

  /// The operation that tells them again; nil if the application chose none.
  static func kept(in context: AdapterContext) -> Operation? {
    guard let text = context.values[.installation, name],
      let json = try? JSON(parsing: Array(text.utf8)), let ids = json["containers"]?.array
    else { return nil }
    return .pushContainers(
      ids.compactMap(\.string).map(ContainerID.init), notifications: json["notifications"]?.bool)
  }
}
