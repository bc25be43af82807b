import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// Reads Atomic's answers.
struct AtomicResponses {
  private let context: AdapterContext

  init(_ context: AdapterContext) { self.context = context }

  /// Total: any bytes give an answer.
  func answer(to operation: Operation, from response: HTTPResponse) -> Answer {
    if response.status == 304 { return unchanged(operation) }
    guard (200...299).contains(response.status) else {
      if response.status == 404, case .cards(let container?, _) = operation {
        return AtomicErrors.refusedFeed(of: container)
      }
      return AtomicErrors.answer(from: response, at: context.now)
    }
    switch operation {
    case .cards(let container, let filters): return cards(container, filters, response)
    case .metrics: return metrics(response)
    case .events(let events): return reported(events, response)
    case .act(let action, let item): return acted(action, on: item, response)
    case .pushContainers(let containers, let notifications):
      var answer = written(response)
      if answer.verdict == .done {
        answer.changes.append(AtomicContainers.keeping(containers, notifications))
      }
      return answer
    case .upload: return confirmed(response)
    case .settings, .device, .registerPush, .unregisterPush, .inbox, .message, .person,
      .associate, .updatePerson, .campaigns, .templates, .optOut, .vendor:
      return written(response)
    }
  }

  // MARK: Lists

  private func cards(
    _ container: ContainerID?, _ filters: [CardFilter], _ response: HTTPResponse
  ) -> Answer {
    guard let body = try? AtomicBody(response.body, list: "cardInstances") else {
      return AtomicErrors.unreadable
    }
    guard !body.hasErrors else { return AtomicErrors.insideSuccess }
    guard let items = body.items else { return AtomicErrors.unreadable }
    let feed = Feed(.cards, in: container, matching: filters)
    var changes: [Change] = [.items(feed, .replace(.nothing), items)]
    if let total = body.total { changes.append(.total(feed, total)) }
    // A payload that is only read belongs to no container.
    if let container, let key = try? AtomicTag.feed(container, filters) {
      changes.append(kept(key, response))
    }
    return Answer(changes)
  }

  private func metrics(_ response: HTTPResponse) -> Answer {
    guard let body = try? JSONFields(response.body[...]) else { return AtomicErrors.unreadable }
    guard !AtomicBody.isError(body.raw("errors")) else { return AtomicErrors.insideSuccess }
    guard let cards = body.fields("aggregates")?.fields("cards"),
      let total = cards.fields("total"), let all = count(total)
    else { return AtomicErrors.unreadable }
    var metrics = CardMetrics(active: all.active, unseen: all.unseen)
    for entry in cards.objects("byContainer") ?? [] {
      guard let id = AtomicText.id(entry, "containerId"), let count = count(entry) else { continue }
      metrics.byContainer[ContainerID(id)] = count
    }
    return Answer([.metrics(metrics), kept(AtomicTag.metrics, response)])
  }

  private func count(_ fields: JSONFields) -> CardMetrics.Count? {
    guard let active = fields.integer("active"), let count = Int(exactly: active), count >= 0
    else { return nil }
    return CardMetrics.Count(
      active: count, unseen: fields.strings("unseenCardInstanceIds") ?? [])
  }

  // MARK: Entity tags

  /// A longer tag is not worth sending with every request. The limit is ours.
  private static let longestTag = 1024

  /// Stores the answer's entity tag. An answer without a tag deletes the stored one.
  private func kept(_ key: String, _ response: HTTPResponse) -> Change {
    let tag = response.headers.first("ETag")
    return .keep(.user, key, tag.flatMap { $0.utf8.count <= Self.longestTag ? $0 : nil })
  }

  /// The answer to a 304. It is an error if the request had no tag.
  private func unchanged(_ operation: Operation) -> Answer {
    switch operation {
    case .cards(let container?, let filters):
      guard let key = try? AtomicTag.feed(container, filters), context.values[.user, key] != nil
      else { return AtomicErrors.unreadable }
      return Answer([.unchanged(Feed(.cards, in: container, matching: filters))])
    case .metrics where context.values[.user, AtomicTag.metrics] != nil: return Answer()
    case .metrics, .cards, .settings, .device, .registerPush, .unregisterPush, .inbox, .message,
      .person, .associate, .updatePerson, .campaigns, .act, .events, .templates, .upload, .optOut,
      .pushContainers, .vendor:
      return AtomicErrors.unreadable
    }
  }

  // MARK: Writes

  /// An unreadable body, such as a proxy's page, does not prove that the call arrived.
  private func written(_ response: HTTPResponse) -> Answer {
    if response.body.isEmpty { return Answer() }
    guard let body = try? AtomicBody(response.body) else { return AtomicErrors.unreadable }
    return body.hasErrors || body.isOK == false ? AtomicErrors.insideSuccess : Answer()
  }

  /// Only `ok` says that an action was done.
  private func acted(
    _ action: ItemAction, on item: ItemReference, _ response: HTTPResponse
  ) -> Answer {
    let answer = confirmed(response)
    guard answer.verdict == .done, case .submit(let name?, _) = action,
      let payload = item.handle["payloads"]?[name]
    else { return answer }
    return Answer([.happened(.submitted, item, ["button": .string(name), "payload": payload])])
  }

  private func confirmed(_ response: HTTPResponse) -> Answer {
    guard let body = try? AtomicBody(response.body) else { return AtomicErrors.unreadable }
    return body.hasErrors || body.isOK != true ? AtomicErrors.insideSuccess : Answer()
  }

  private func reported(_ events: [EngagementEvent], _ response: HTTPResponse) -> Answer {
    var answer = written(response)
    guard answer.verdict == .done else { return answer }
    var rejected: [EventID: String] = [:]
    for event in events { rejected[event.id] = AtomicEvents.fault(of: event) }
    answer.changes = [.settled(events.map(\.id).filter { rejected[$0] == nil })]
    if !rejected.isEmpty { answer.verdict = .partly(rejected: rejected) }
    return answer
  }
}

/// The members of an answer that this adapter uses.
struct AtomicBody {
  private(set) var hasErrors = false
  /// Whether the answer says that the request was executed; nil if it does not say.
  private(set) var isOK: Bool?
  private(set) var items: [RawItem]?
  /// The number of cards, which may be more than are listed.
  private(set) var total: Int?

  /// Reads an object. A faulty value affects only its item.
  init(_ bytes: [UInt8], list: JSONKey? = nil) throws(JSONFault) {
    var cursor = JSONCursor(bytes)
    guard try cursor.enterObject() else { throw JSONFault(.notAnObject, at: 0) }
    while let key = try cursor.nextKey() {
      if key == list {
        items = try cursor.items()
      } else {
        let value = try cursor.item(at: 0).bytes
        if key == "errors" { hasErrors = Self.isError(value) }
        if key == "ok" { isOK = value.elementsEqual("true".utf8) }
        if key == "metadata" { total = (try? JSONFields(value)).flatMap(AtomicText.total) }
      }
    }
    try cursor.finish()
  }

  /// Whether the value of `errors` contains an error.
  static func isError(_ value: ArraySlice<UInt8>?) -> Bool {
    guard let value, let json = try? JSON(parsing: value) else { return value != nil }
    switch json {
    case .null: return false
    case .array(let errors): return !errors.isEmpty
    case .object(let errors): return !errors.isEmpty
    case .bool, .integer, .number, .string: return true
    }
  }
}
