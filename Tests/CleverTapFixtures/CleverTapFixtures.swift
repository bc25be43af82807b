package import EngagementAdapterAPI
package import EngagementCleverTap
package import EngagementJSON
package import EngagementModel
import EngagementTesting
package import FoundationEssentials

/// What the tests of this vendor share.
package enum CleverTap {
  package typealias Operation = EngagementAdapterAPI.Operation

  package static let account = "ACC-1"
  package static let token: Secret = Secret("token-canary")
  package static let hello = "GET clevertap-prod.com/hello"
  package static let batch = "POST eu1.clevertap-prod.com/a1"
  package static let viewed = "POST eu1-spiky.clevertap-prod.com/a1"
  package static let getMessages = "POST eu1.clevertap-prod.com/inbox/v2/getMessages"
  package static let deleteMessages = "POST eu1.clevertap-prod.com/inbox/v2/deleteMessages"
  package static let time = Date(timeIntervalSince1970: 1_790_845_200)
  package static let session = Session("s-1", startedAt: Date(timeIntervalSince1970: 1_790_845_100))

  package static func configuration(
    region: String? = nil, platform: CleverTapConfiguration.Platform = .iOS,
    hasServerInbox: Bool = true, definesTemplates: Bool = true
  ) throws -> CleverTapConfiguration {
    try CleverTapConfiguration(
      accountID: account, token: token, region: region, platform: platform,
      hasServerInbox: hasServerInbox, definesTemplates: definesTemplates, clientRevision: 70_000)
  }

  package static func adapter(
    platform: CleverTapConfiguration.Platform = .iOS
  ) throws -> CleverTapAdapter {
    CleverTapAdapter(try configuration(platform: platform))
  }

  /// What is known after a handshake.
  package static func context(
    user: User = "u-1", _ change: (inout AdapterContext) -> Void = { _ in }
  ) -> AdapterContext {
    var context = AdapterContext(user: user, device: .test, now: time, key: OperationKey(1, 2))
    context.values[.installation, "domain"] = "eu1.clevertap-prod.com"
    context.values[.installation, "domain.viewed"] = "eu1-spiky.clevertap-prod.com"
    context.values[.user, "guid"] = "-guid"
    change(&context)
    return context
  }

  /// An item of a campaign, as an event speaks of it.
  package static func item(_ surface: Surface, _ extra: JSONObject = [:]) -> ItemReference {
    var handle: JSONObject = ["campaign": ["wzrk_id": "c-1", "wzrk_pivot": "p"]]
    for member in extra.members { handle[member.key] = member.value }
    return ItemReference(ItemID("clevertap", "i-1"), on: surface, handle: handle)
  }

  package static func update(_ change: (inout PersonUpdate) -> Void) -> Operation {
    var update = PersonUpdate()
    change(&update)
    return .updatePerson(update)
  }

  /// One event of the current session.
  package static func one(
    _ kind: EngagementEvent.Kind, _ name: String? = nil, on item: ItemReference? = nil,
    _ properties: JSONObject = [:]
  ) -> Operation {
    var event = event("e-1", kind, name, on: item, properties)
    event.session = session.id
    return .events([event])
  }

  package static func event(
    _ id: EventID, _ kind: EngagementEvent.Kind, _ name: String? = nil,
    on item: ItemReference? = nil, _ properties: JSONObject = [:]
  ) -> EngagementEvent {
    EngagementEvent(id: id, kind: kind, time: time, item: item, name: name, properties: properties)
  }

  /// A campaign as an event speaks of it.
  package static func campaign(_ id: String) -> ItemReference {
    ItemReference(
      ItemID("clevertap", id), on: .campaigns,
      handle: ["campaign": ["wzrk_id": .string("\(id)_20261001"), "wzrk_pivot": "wzrk_default"]])
  }

  /// A message of the vendor's list, read or not.
  package static func message(_ id: String, read: Bool = false, date: Int = 1_790_845_000) -> String
  {
    let own = messageHere(id, date: date)
    return "\(own.dropLast()),\"isRead\":\(read)}"
  }

  /// A message as an answer to a batch brings it.
  package static func messageHere(_ id: String, title: String? = nil, date: Int = 1_790_845_000)
    -> String
  {
    #"{"_id":"\#(id)","wzrk_id":"c-\#(id)","wzrk_pivot":"wzrk_default","date":\#(date),"#
      + #""msg":{"type":"simple","content":[{"title":{"text":"\#(title ?? "About \(id)")"}}]}}"#
  }

  /// A campaign with a template of the application's.
  package static func campaign(_ id: Int, template: String) -> String {
    #"{"type":"custom-code","templateName":"\#(template)","ti":\#(id),"wzrk_id":"\#(id)_1"}"#
  }

  package static func raw(_ text: String) -> RawItem {
    RawItem(index: 0, bytes: Array(text.utf8)[...])
  }
}
