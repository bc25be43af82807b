import EngagementAdapterAPI
import EngagementFormats
import EngagementModel

/// How the adapter reports one event to the vendor.
enum CleverTapEvent: Hashable {
  /// The event is sent with this name and this data.
  case travels(String, JSONObject)
  /// The event is not sent, because the vendor does not want it. Its local effect stays.
  case staysHere
  /// The event cannot be sent, for this reason. The kit undoes its local effect.
  case isRejected(String)

  /// The vendor's names of events.
  enum Word: String {
    case launched = "App Launched"
    case viewed = "Notification Viewed"
    case clicked = "Notification Clicked"
    case charged = "Charged"
    /// The application's own name for the event.
    case own = ""
  }

  /// The vendor's name for each supported kind.
  static let words: [EngagementEvent.Kind: Word] = [
    .launch: .launched, .impression: .viewed, .read: .viewed, .receive: .viewed,
    .templatePresented: .viewed, .click: .clicked, .open: .clicked, .purchase: .charged,
    .custom: .own,
  ]

  /// That a push arrived is told to a host of its own, in batches of its own. The vendor's clients send
  /// the views of campaigns and messages with all other events.
  static let groups: [EngagementEvent.Kind: String] = [.receive: "viewed"]

  static func isViewed(_ event: EngagementEvent) -> Bool { groups[event.kind] != nil }

  init(_ event: EngagementEvent, discarding discarded: [String], launch: () -> JSONObject) {
    switch Self.words[event.kind] {
    case .launched?: self = .travels(Word.launched.rawValue, launch())
    case .viewed?, .clicked?: self = Self.onItem(event)
    case .charged?: self = Self.purchase(event)
    case .own?: self = Self.custom(event, discarding: discarded)
    case nil: self = .isRejected("CleverTap takes no event of this kind.")
    }
  }

  // MARK: On an item

  /// The vendor has one event for viewing and reading. If the event names a message that the vendor
  /// stores, the vendor marks it as read. So only reading is reported for such a message, and only
  /// viewing for a message on this device.
  private static func onItem(_ event: EngagementEvent) -> CleverTapEvent {
    guard let item = event.item, surfaces.contains(item.surface) else {
      return .isRejected("CleverTap takes this event only on a message, a campaign or a push.")
    }
    let handle = CleverTapHandle(item.handle)
    guard handle.campaign["wzrk_id"] != nil else {
      return .isRejected("The item belongs to no campaign of CleverTap.")
    }
    switch event.kind {
    case .impression where handle.isOnServer, .read where !handle.isOnServer || handle.wasRead,
      .receive where !handle.asksForReceipt,
      .click where item.surface == .push && handle.isPreview,
      .open where item.surface == .push && handle.isPreview:
      return .staysHere
    case .click, .open: return .travels(Word.clicked.rawValue, clicked(event, item, handle))
    default: return .travels(Word.viewed.rawValue, campaign(item, handle))
    }
  }

  private static let surfaces: Set<Surface> = [.inbox, .campaigns, .push]

  private static func campaign(_ item: ItemReference, _ handle: CleverTapHandle) -> JSONObject {
    var data = handle.campaign
    if handle.isOnServer { data["wzrk_mid"] = .string(item.id.value) }
    return data
  }

  private static func clicked(
    _ event: EngagementEvent, _ item: ItemReference, _ handle: CleverTapHandle
  ) -> JSONObject {
    var data = campaign(item, handle)
    if let button = event.properties["button"]?.string { data["wzrk_c2a"] = .string(button) }
    if let url = event.properties["url"]?.string { data["wzrk_dl"] = .string(url) }
    if item.surface == .push {
      data["wzrk_cts"] = Epoch.wholeSeconds(of: event.time).map(JSON.integer)
    }
    return data
  }

  // MARK: Events of the application

  private static func custom(
    _ event: EngagementEvent, discarding discarded: [String]
  ) -> CleverTapEvent {
    let name = CleverTapLimits.eventName.cleaned(event.name ?? "")
    guard !name.isEmpty else { return .isRejected("The event has no name.") }
    guard !CleverTapLimits.isOwnEvent(name) else {
      return .isRejected("CleverTap keeps this name of an event for itself.")
    }
    let normalized = CleverTapLimits.normalized(name)
    guard !discarded.contains(where: { CleverTapLimits.normalized($0) == normalized }) else {
      return .isRejected("CleverTap throws events of this name away.")
    }
    return .travels(name, CleverTapLimits.cleaned(event.properties))
  }

  private static func purchase(_ event: EngagementEvent) -> CleverTapEvent {
    var rest = event.properties
    let (price, count) = (rest["price"]?.number, rest["quantity"]?.number ?? 1)
    guard let name = event.name, !name.isEmpty, let price else {
      return .isRejected("A purchase has a name and a price.")
    }
    var data: JSONObject = ["Amount": .number(price * count)]
    data["Currency"] = rest["currency"]
    for key in ["price", "quantity", "currency"] { rest[key] = nil }
    for member in rest.members { data[member.key] = member.value }
    data["Items"] = [["Name": .string(name), "Price": .number(price), "Quantity": .number(count)]]
    return .travels(Word.charged.rawValue, CleverTapLimits.cleaned(data))
  }
}

/// A batch of events for one host, separated into those to send, those that stay local and those that are
/// rejected.
struct CleverTapBatch {
  private(set) var entries: [(event: EngagementEvent, name: String, data: JSONObject)] = []
  private(set) var kept: [EventID] = []
  private(set) var rejected: [EventID: String] = [:]

  /// Throws `invalidArgument` for events of two hosts and for too many events.
  init(
    _ events: [EngagementEvent], _ memory: CleverTapMemory, launch: () -> JSONObject
  ) throws(EngagementError) {
    let isViewed = events.first.map(CleverTapEvent.isViewed) ?? false
    guard events.allSatisfy({ CleverTapEvent.isViewed($0) == isViewed }),
      events.count <= CleverTapLimits.batch
    else {
      throw EngagementError(.invalidArgument, "These events cannot travel in one batch.")
    }
    let discarded = memory.discardedEvents
    for event in events {
      switch CleverTapEvent(event, discarding: discarded, launch: launch) {
      case .travels(let name, let data): entries.append((event, name, data))
      case .staysHere: kept.append(event.id)
      case .isRejected(let reason): rejected[event.id] = reason
      }
    }
  }
}
