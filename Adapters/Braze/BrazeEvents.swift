import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// How the adapter reports one event to the vendor.
enum BrazeEvent: Hashable {
  /// The event is sent with this name and this data.
  case travels(String, JSONObject)
  /// The event is not sent, because the vendor does not want it. Its local effect stays.
  case staysHere
  /// The event cannot be sent, for this reason. The kit undoes its local effect.
  case isRejected(String)

  /// The vendor's names of the supported kinds. An impression of a control card has another name.
  static let names: [EngagementEvent.Kind: String] = [
    .impression: "cci", .click: "ccc", .dismiss: "ccd", .custom: "ce", .purchase: "p",
    .sessionStart: "ss", .sessionEnd: "se",
  ]

  private static let controlImpression = "ccic"
  /// The limit for an event's properties, in bytes.
  static let propertyBytes = 50 * 1_024
  private static let quantities: ClosedRange<Int64> = 1...100

  /// How to report the events of one batch, in their order. A dismissal is reported only once.
  static func meanings(
    of events: [EngagementEvent], knowing memory: BrazeMemory
  ) -> [BrazeEvent] {
    let blocklists = memory.blocklists
    var dismissed = events.contains { $0.kind == .dismiss } ? memory.dismissed : []
    return events.map { event in
      let meaning = BrazeEvent(event)
      guard meaning.travels else { return meaning }
      if blocklists.block(event) { return .staysHere }
      guard event.kind == .dismiss, let id = event.item?.id.value else { return meaning }
      if dismissed.contains(where: { $0.hasSameBytes(as: id) }) { return .staysHere }
      dismissed.append(id)
      return meaning
    }
  }

  /// How to report the event, without regard to other events and the vendor's settings.
  init(_ event: EngagementEvent) {
    guard let name = Self.names[event.kind] else {
      self = .isRejected("Braze does not take events of the kind \(event.kind).")
      return
    }
    switch event.kind {
    case .click where event.item?.surface == .push: self = Self.openedPush(event)
    case .impression, .click, .dismiss: self = Self.card(event, name)
    case .custom: self = Self.custom(event, name)
    case .purchase: self = Self.purchase(event, name)
    case .sessionEnd: self = .travels(name, Self.length(of: event))
    default: self = .travels(name, [:])
    }
  }

  var travels: Bool { if case .travels = self { true } else { false } }
  var rejection: String? { if case .isRejected(let reason) = self { reason } else { nil } }

  // MARK: Pushes

  private static func openedPush(_ event: EngagementEvent) -> BrazeEvent {
    guard let campaign = event.item?.id.value else { return .isRejected("A push has no campaign.") }
    return .travels("pc", ["cid": .string(campaign)])
  }

  // MARK: Cards

  private static func card(_ event: EngagementEvent, _ name: String) -> BrazeEvent {
    guard let item = event.item, item.surface == .cards else {
      return .isRejected("Braze takes this kind of event only on a card.")
    }
    let handle = BrazeHandle(item.handle)
    let data: JSONObject = ["ids": [.string(item.id.value)]]
    switch event.kind {
    case .impression: return .travels(handle.isControl ? controlImpression : name, data)
    case .click: return handle.hasLink ? .travels(name, data) : .staysHere
    default:
      return handle.isDismissible
        ? .travels(name, data) : .isRejected("The card cannot be dismissed.")
    }
  }

  // MARK: Events of the application

  private static func custom(_ event: EngagementEvent, _ name: String) -> BrazeEvent {
    guard let own = event.name, isName(own) else { return .isRejected(wrongName) }
    guard areNames(event.properties) else { return .isRejected(wrongKey) }
    guard fits(event.properties) else { return .isRejected(tooLarge) }
    return .travels(name, ["n": .string(own), "p": .object(event.properties)])
  }

  private static func purchase(_ event: EngagementEvent, _ name: String) -> BrazeEvent {
    var rest = event.properties
    let taken = (rest["currency"], rest["price"], rest["quantity"])
    for key in ["currency", "price", "quantity"] { rest[key] = nil }
    guard let product = event.name, isName(product) else { return .isRejected(wrongName) }
    guard areNames(rest) else { return .isRejected(wrongKey) }
    guard let currency = taken.0?.string.flatMap(BrazeCurrency.code) else {
      return .isRejected("The currency of a purchase is a code of ISO 4217, such as EUR.")
    }
    guard let price = taken.1?.number.flatMap(price) else {
      return .isRejected("The price of a purchase is a number.")
    }
    let quantity = taken.2.map(\.integer) ?? 1
    guard let quantity, quantities.contains(quantity) else {
      return .isRejected("The quantity of a purchase lies in 1…100.")
    }
    guard fits(rest) else { return .isRejected(tooLarge) }
    return .travels(
      name,
      [
        "pid": .string(product), "c": .string(currency), "p": .string(price),
        "q": .integer(quantity),
        "pr": .object(rest),
      ])
  }

  /// The price as the vendor's clients write it, with two decimals.
  private static func price(_ number: Double) -> String? {
    guard let cents = Int64(exactly: (number * 100).rounded()) else { return nil }
    let (whole, rest) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(cents < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Whether the vendor takes it as the name of an event, a product, a property or an attribute.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.count <= 255
      && !name.unicodeScalars.contains { $0.value < 0x20 || $0 == "\"" }
  }

  static let rulesOfNames =
    "a name has 1 to 255 characters, no quotation marks and no control characters."
  private static let wrongName = "Braze does not take the name of the event: \(rulesOfNames)"
  private static let wrongKey = "Braze does not take the name of a property: \(rulesOfNames)"

  private static func areNames(_ properties: JSONObject) -> Bool {
    properties.members.allSatisfy { isName($0.key) }
  }

  private static func length(of event: EngagementEvent) -> JSONObject {
    event.properties["seconds"].map { ["d": $0] } ?? [:]
  }

  private static func fits(_ properties: JSONObject) -> Bool {
    JSON.object(properties).encoded().count <= propertyBytes
  }

  private static let tooLarge = "The properties of an event take at most 50 KB."
}

/// The facts about a card that its events need.
struct BrazeHandle {
  var isControl: Bool
  var isDismissible: Bool
  /// Whether a click on the card opens something.
  var hasLink: Bool

  init(isControl: Bool, isDismissible: Bool, hasLink: Bool) {
    self.isControl = isControl
    self.isDismissible = isDismissible
    self.hasLink = hasLink
  }

  init(_ handle: JSONObject) {
    isControl = handle["control"]?.bool ?? false
    isDismissible = handle["dismissible"]?.bool ?? false
    hasLink = handle["link"]?.bool ?? false
  }

  /// Only the true members. Thousands of cards share these eight objects.
  var json: JSONObject {
    Self.objects[(isControl ? 1 : 0) + (isDismissible ? 2 : 0) + (hasLink ? 4 : 0)]
  }

  private static let objects = (0..<8).map { number in
    BrazeHandle(
      isControl: number & 1 != 0, isDismissible: number & 2 != 0, hasLink: number & 4 != 0
    ).made
  }

  private var made: JSONObject {
    var object = JSONObject()
    if isControl { object["control"] = true }
    if isDismissible { object["dismissible"] = true }
    if hasLink { object["link"] = true }
    return object
  }
}
