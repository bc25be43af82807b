import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// What an adapter makes of bytes, as neutral JSON.
struct Decoding {
  enum Kind: String, CaseIterable {
    case cards, inbox, push, campaigns, person

    /// What a payload of the kind has.
    var content: String { self == .inbox ? "messages" : rawValue }
  }

  private let adapter: any EngagementAdapter
  private let kind: Kind
  private let lists: [String]

  /// - Parameter lists: The members of an answer that list the items; empty where every answer that
  ///   the adapter takes has them.
  init(_ adapter: any EngagementAdapter, _ kind: Kind, lists: [String] = []) {
    self.adapter = adapter
    self.kind = kind
    self.lists = lists
  }

  /// What comes of bytes.
  struct Payload {
    /// An object for each item, in their order.
    var lines: [JSONObject]
    /// Why the bytes are no item, where they are neither an answer with a list nor a list.
    var fault: String?
  }

  /// Throws where the bytes are no JSON or where the answer is a refusal.
  func payload(of bytes: [UInt8]) throws(EngagementError) -> Payload {
    try checkAbility()
    if kind == .push {
      return Payload(lines: notification(in: try Self.payload(in: bytes)).map { [$0] } ?? [])
    }
    try Self.checkStructure(of: bytes)
    var hasList = false
    do throws(EngagementError) {
      let answer = try answer(in: bytes)
      if !answer.lines.isEmpty { return Payload(lines: answer.lines) }
      hasList = answer.hasList
    } catch {
      guard let lines = looseLines(in: bytes) else { throw error }
      return Payload(lines: lines)
    }
    if let lines = looseLines(in: bytes) { return Payload(lines: lines) }
    let single = line(of: RawItem(index: 0, bytes: bytes[...]))["quarantined"]
    return Payload(lines: [], fault: hasList ? nil : single?["reason"]?.string)
  }

  private func checkAbility() throws(EngagementError) {
    guard kind != .push, adapter.capabilities.ability(operation.verb).travel == .unsupported
    else { return }
    throw EngagementError(.unsupported, "\(adapter.vendor) has no \(kind.rawValue).")
  }

  /// What is wrong inside an item costs the item; what is wrong with the document costs it all.
  private static func checkStructure(of bytes: [UInt8]) throws(EngagementError) {
    var cursor = JSONCursor(bytes)
    do throws(JSONFault) {
      try cursor.skip()
      try cursor.finish()
    } catch {
      guard error.isStructural else { return }
      throw EngagementError(
        .malformedResponse, "The payload is no sound JSON.", underlying: error.description)
    }
  }

  // MARK: Pushes

  /// A payload that can be trusted.
  static func payload(in bytes: [UInt8]) throws(EngagementError) -> JSON {
    try checkStructure(of: bytes)
    do throws(JSONFault) { return try JSON(parsing: bytes) } catch {
      throw EngagementError(
        .malformedResponse, "The payload cannot be trusted.", underlying: error.description)
    }
  }

  /// What the push says; nil where it is not the vendor's.
  func notification(in push: JSON) -> JSONObject? {
    adapter.received(push, in: context)?.notification.json.object
  }

  private static func isObject(_ bytes: [UInt8]) -> Bool {
    var cursor = JSONCursor(bytes)
    return (try? cursor.kind()) == .object
  }

  // MARK: Answers

  /// The items of an answer, and whether it is one that has a list for them.
  private func answer(
    in bytes: [UInt8]
  ) throws(EngagementError) -> (lines: [JSONObject], hasList: Bool) {
    let answer = adapter.answer(to: operation, from: HTTPResponse(200, body: bytes), in: context)
    let lines = answer.changes.flatMap(lines)
    let hasList = answer.changes.contains { if case .items = $0 { true } else { false } }
    switch answer.verdict {
    case .done, .partly: return (lines, hasList || lists.isEmpty)
    case .retry(let error), .refused(let error):
      // A vendor may send items and ask to be asked again. As an answer from the network, an object
      // without items may be somebody else's; as a payload it has none.
      guard lines.isEmpty, error.code != .malformedResponse || !Self.isObject(bytes) else {
        return (lines, hasList)
      }
      throw error
    case .renew:
      throw EngagementError(.unauthenticated, "The payload refuses the credential.")
    }
  }

  private func lines(of change: Change) -> [JSONObject] {
    switch change {
    case .items(_, _, let items): items.map(line)
    case .removed(_, let ids): ids.map { ["removed": .string($0)] }
    case .person(let person?): person.json.object.map { [$0] } ?? []
    case .person(nil), .unchanged, .settings, .metrics, .total, .settled, .happened,
      .campaignsReported, .abandoned, .throttled, .paused, .ignored, .keep, .secret, .wanted,
      .pushToken:
      []
    }
  }

  /// An item, or why it is none.
  private func line(of item: RawItem) -> JSONObject {
    do throws(EngagementError) {
      if let fault = item.fault { throw EngagementError(fault) }
      let json =
        switch kind {
        case .inbox: try adapter.message(in: item).json
        case .campaigns: try adapter.campaign(in: item).json
        case .cards, .push, .person: try adapter.card(in: item).json
        }
      return json.object ?? [:]
    } catch {
      let index = JSON.integer(Int64(item.index))
      // What the vendor may have added is no fault of the item.
      if error.code == .unsupported {
        var ignored: JSONObject = ["index": index]
        ignored["kind"] = error.underlying.map(JSON.string)
        return ["ignored": .object(ignored)]
      }
      let reason = error.underlying.map { "\(error.message) (\($0))" } ?? error.message
      return ["quarantined": ["index": index, "reason": .string(reason)]]
    }
  }

  // MARK: Items without an answer around them

  /// What a list of items comes to, or one item: whatever the adapter can tell that it is.
  private func looseLines(in bytes: [UInt8]) -> [JSONObject]? {
    guard kind != .person else { return nil }
    var cursor = JSONCursor(bytes)
    if let items = try? cursor.items() { return items.map(line) }
    let line = line(of: RawItem(index: 0, bytes: bytes[...]))
    // An object that names no kind of item is none.
    guard line["quarantined"] == nil, line["ignored"].map({ $0["kind"] != nil }) ?? true else {
      return nil
    }
    return [line]
  }

  // MARK: The question

  private var operation: Operation {
    switch kind {
    case .cards: .cards(in: nil, matching: [])
    case .inbox: .inbox
    case .campaigns: .campaigns
    case .person, .push: .person
    }
  }

  private var context: AdapterContext { .withoutCache(of: "decode") }
}

extension AdapterContext {
  /// What an adapter is told that is asked without a cache. Fixed, so that the same question gives the
  /// same answer.
  static func withoutCache(of user: User) -> AdapterContext {
    AdapterContext(
      user: user,
      device: Device(
        id: "decode", appID: "engage", system: "Linux", systemVersion: "0", locale: "en_US",
        timeZone: "UTC"),
      now: Date(timeIntervalSince1970: 0), key: OperationKey(0, 0))
  }
}
