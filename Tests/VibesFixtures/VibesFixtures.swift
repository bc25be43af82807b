package import EngagementAdapterAPI
import EngagementHTTP
package import EngagementJSON
package import EngagementModel
import EngagementTesting
package import EngagementVibes
import FoundationEssentials

/// Shared fixtures of this vendor's tests.
package enum Vibes {
  package typealias Operation = EngagementAdapterAPI.Operation

  package static let appID = "app-1"
  package static let root = "/mobile_apps/app-1"
  package static let host = "https://public-api.vibescm.com"

  package static func adapter(
    association: VibesConfiguration.Association = .onSignIn
  ) throws -> VibesAdapter {
    VibesAdapter(try VibesConfiguration(appID: appID, association: association))
  }

  /// A context with the stored values of a registered device and a fetched person.
  package static func context(
    _ change: (inout AdapterContext) -> Void = { _ in }
  ) -> AdapterContext {
    var context = AdapterContext(
      user: "u-1", device: .test, now: TestClock().now, key: OperationKey(1, 2))
    context.values[.installation, "device"] = "d-1"
    context.secrets[.installation, "token"] = Secret("t-1")
    context.values[.installation, "device.user"] = "yes"
    context.values[.user, "associated"] = "u-1"
    context.values[.user, "associated.device"] = "d-1"
    context.values[.user, "person"] = "p-1"
    context.values[.user, "person.device"] = "d-1"
    context.values[.user, "person.time"] = "2026-10-01T09:00:00.000Z"
    change(&context)
    return context
  }

  package static func item(_ id: String, on surface: Surface = .inbox) -> ItemReference {
    ItemReference(
      ItemID("vibes", id), on: surface,
      handle: ["activity_type": "Broadcast", "activity_uid": "a-1"])
  }

  package static func event(
    _ id: EventID, _ kind: EngagementEvent.Kind, about item: ItemReference? = nil
  ) -> EngagementEvent {
    EngagementEvent(
      id: id, kind: kind, time: Date(timeIntervalSince1970: 1_790_845_200.25), item: item)
  }

  package static func raw(_ text: String) -> RawItem {
    RawItem(index: 0, bytes: Array(text.utf8)[...])
  }
}
