import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// The campaigns of the user and their states, from the user's exported records.
struct CampaignOverview {
  /// A campaign that a vendor listed, that waits to be presented, or that was due before.
  struct Entry {
    var id: ItemID
    /// Empty for an announced campaign, of which the vendor sends only the conditions.
    var template = ""
    var state = State.waiting
    /// How often it was drawn.
    var presentations = 0
    /// What makes it due, as the vendor lists it; empty for what is not listed.
    var triggers: [JSON] = []
  }

  enum State: Hashable {
    /// Its event has not happened yet.
    case waiting
    /// It is to be presented, from that time on if it is delayed.
    case due(from: String?)
    /// It is due, and a cap or a quiet time holds it back; until that time if there is one.
    case held(reason: String, until: String?)
    case presented
    /// It was due and not presented.
    case dropped(reason: String)
  }

  /// In the order in which the campaigns came.
  private(set) var entries: [Entry] = []
  private var places: [ItemID: Int] = [:]
  /// What held back each campaign last, since it was last presented or dropped.
  private var holds: [ItemID: State] = [:]
  private let now: Date

  init(_ records: [JSONObject], at now: Date) {
    self.now = now
    for record in records {
      switch record["record"]?.string {
      case "campaign": note(listed: record)
      case "event": note(event: record)
      case "queuedCampaign": note(queued: record)
      default: break
      }
    }
  }

  // MARK: Records

  private mutating func note(listed record: JSONObject) {
    change(Self.id(in: record)) { entry in
      entry.template = record["template"]?.string ?? ""
      entry.triggers = record["triggers"]?.array ?? []
    }
  }

  private mutating func note(event record: JSONObject) {
    guard let kind = record["kind"]?.string.map({ EngagementEvent.Kind($0) }),
      [.campaignDropped, .templatePresented, .itemHeld].contains(kind)
    else { return }
    let properties = record["properties"]?.object ?? [:]
    let id = record["item"]?.object.flatMap(Self.id)
    if let id { holds[id] = kind == .itemHeld ? hold(properties) : nil }
    guard kind != .itemHeld else { return }
    change(id) { entry in
      if entry.template.isEmpty { entry.template = properties["template"]?.string ?? "" }
      if kind == .templatePresented {
        entry.state = .presented
        entry.presentations += 1
      } else {
        entry.state = .dropped(reason: properties["reason"]?.string ?? "")
      }
    }
  }

  /// What waits is newer than each event of it.
  private mutating func note(queued record: JSONObject) {
    guard let campaign = record["campaign"]?.object, record["presented"] != true else { return }
    let id = Self.id(in: campaign)
    let held = id.flatMap { holds[$0] }
    change(id) { entry in
      entry.template = campaign["template"]?.string ?? entry.template
      entry.state = held ?? .due(from: record["presentAt"]?.string)
    }
  }

  /// What an event of a hold says; nil if the hold is over.
  private func hold(_ properties: JSONObject) -> State? {
    let until = properties["until"]?.string
    if let end = until.flatMap({ ISO8601.date(from: $0) }), end <= now { return nil }
    return .held(reason: properties["reason"]?.string ?? "", until: until)
  }

  private mutating func change(_ id: ItemID?, _ body: (inout Entry) -> Void) {
    guard let id, id.value != Self.preview else { return }
    if places[id] == nil {
      places[id] = entries.count
      entries.append(Entry(id: id))
    }
    guard let place = places[id] else { return }
    body(&entries[place])
  }

  /// What the library calls a preview, which is no campaign.
  private static let preview = "preview"

  private static func id(in record: JSONObject) -> ItemID? {
    guard let provider = record["provider"]?.string, let id = record["id"]?.string else {
      return nil
    }
    return ItemID(ProviderID(provider), id)
  }
}

extension CampaignOverview.Entry {
  var object: JSONObject {
    var object: JSONObject = [
      "provider": .string(id.provider.rawValue), "id": .string(id.value),
      "template": .string(template), "presentations": .integer(Int64(presentations)),
    ]
    if !triggers.isEmpty { object["triggers"] = .array(triggers) }
    switch state {
    case .waiting: object["state"] = "waiting"
    case .due(let date):
      object["state"] = "due"
      object["from"] = date.map(JSON.string)
    case .held(let reason, let until):
      object["state"] = "held"
      object["reason"] = .string(reason)
      object["until"] = until.map(JSON.string)
    case .presented: object["state"] = "presented"
    case .dropped(let reason):
      object["state"] = "dropped"
      object["reason"] = .string(reason)
    }
    return object
  }

  var row: [Phrase] {
    let told: Phrase =
      switch state {
      case .waiting: Phrase("waits for \(awaited)", .faint)
      case .due(let date): Phrase(date.map { "due from \($0)" } ?? "due", .yellow)
      case .held(let reason, let until):
        Phrase("held back: \(reason)" + (until.map { " until \($0)" } ?? ""), .yellow)
      case .presented: Phrase("presented", .green)
      case .dropped(let reason): Phrase("not drawn: \(reason)", .red)
      }
    return [
      Phrase(id.description, .cyan), Phrase(template.isEmpty ? "announced only" : template), told,
      "\(presentations)",
    ]
  }

  /// What makes it due, such as `"Coffee ordered" with size equals large`.
  private var awaited: String {
    let events = triggers.map { trigger in
      let name = "\"\(trigger["event"]?.string ?? "")\""
      let subject = trigger["attribute"]?.string.map { "a change of \($0)" } ?? name
      let conditions =
        (trigger["properties"]?.array ?? []) + (trigger["itemProperties"]?.array ?? [])
      let told =
        conditions.map(Self.text)
        + ((trigger["places"]?.array ?? []).isEmpty ? [] : ["the device at a place"])
      return told.isEmpty ? subject : "\(subject) with \(told.joined(separator: " and "))"
    }
    return events.isEmpty ? "its event" : events.joined(separator: ", or ")
  }

  /// A condition, such as `size equals large`.
  private static func text(of condition: JSON) -> String {
    let words = [condition["name"]?.string, condition["is"]?.string.map(inWords)]
    let value = condition["value"].map { value in
      (value.array ?? [value]).map(Console.argument)
        .joined(separator: condition["is"] == "between" ? " and " : " or ")
    }
    return (words + [value]).compactMap(\.self).joined(separator: " ")
  }

  /// `isNotSet` as `is not set`.
  private static func inWords(_ name: String) -> String {
    name.map { $0.isUppercase ? " \($0.lowercased())" : String($0) }.joined()
  }
}
