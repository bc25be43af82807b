import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// Interprets the vendor's responses. Any bytes give an answer.
struct MemoryResponses {
  private let provider: ProviderID
  private let context: AdapterContext

  init(_ provider: ProviderID, _ context: AdapterContext) {
    self.provider = provider
    self.context = context
  }

  func answer(to operation: Operation, from response: HTTPResponse) -> Answer {
    if let answer = failure(response) { return answer }
    do throws(JSONFault) {
      return try accepted(operation, response.body)
    } catch {
      return Answer([], .retry(EngagementError(error)))
    }
  }

  // MARK: Statuses

  /// Nil for a response whose body can be read.
  private func failure(_ response: HTTPResponse) -> Answer? {
    switch response.status {
    case 200...299: nil
    case 401: Answer([], .renew(.credential))
    case 410:
      Answer(
        MemoryValues.changes(device: nil, token: nil), .renew(.operation(.device(.register))))
    case 429: retry(.rateLimited, "The vendor asked for fewer requests.", response)
    case 408, 425, 500..., ..<400: retry(.unavailable, "The vendor could not answer.", response)
    default: Answer([], .refused(refusal(response)))
    }
  }

  private func retry(
    _ code: EngagementError.Code, _ message: String, _ response: HTTPResponse
  ) -> Answer {
    let delay = response.retryAfter(now: context.now)
    return Answer(
      [],
      .retry(
        EngagementError(code, message, retryAfter: delay, underlying: "\(response.status)")))
  }

  private func refusal(_ response: HTTPResponse) -> EngagementError {
    let codes: [Int: EngagementError.Code] = [
      403: .permissionDenied, 404: .notFound, 409: .conflict,
    ]
    return EngagementError(
      codes[response.status] ?? .invalidArgument, "The vendor refused the request.",
      underlying: "\(response.status)")
  }

  // MARK: Bodies

  private func accepted(_ operation: Operation, _ body: [UInt8]) throws(JSONFault) -> Answer {
    switch operation {
    case .cards(let container, _): try list("cards", of: Feed(.cards, in: container), body)
    case .inbox: try list("messages", of: .inbox, body)
    case .campaigns: try campaigns(body)
    case .message: try message(body)
    case .settings: try read(body) { .done([.settings(settings($0))]) }
    case .device(.register): try read(body, device)
    case .device(.unregister): Answer(MemoryValues.changes(device: nil, token: nil))
    case .person: try read(body, person)
    case .events: try told(body)
    case .act(.delete, let item): Answer([.removed(Feed(item.surface), ids: [item.id.value])])
    case .device(.renew), .device(.update), .registerPush, .unregisterPush, .associate,
      .updatePerson, .metrics, .act, .templates, .upload, .optOut, .pushContainers, .vendor:
      Answer()
    }
  }

  /// The list, or the error in its place. A body without a list never counts as an empty list.
  private func list(
    _ name: JSONKey, of feed: Feed, _ body: [UInt8]
  ) throws(JSONFault) -> Answer {
    var cursor = JSONCursor(body)
    var items: [RawItem]?
    var error: String?
    if try cursor.enterObject() {
      while let key = try cursor.nextKey() {
        switch key {
        case name: items = try cursor.items()
        case "error": error = try cursor.string()
        default: break
        }
      }
    }
    try cursor.finish()
    if let error { return refusal(inside: error) }
    guard let items else { return malformed }
    return Answer([.items(feed, .replace(.nothing), items)])
  }

  /// The campaigns of the device, and beside them those that are only announced.
  private func campaigns(_ body: [UInt8]) throws(JSONFault) -> Answer {
    let answer = try list("campaigns", of: .campaigns, body)
    guard answer.verdict == .done, let items = try items("announced", body) else { return answer }
    return Answer(
      answer.changes + [.items(.announcedCampaigns, .replace(.nothing), items)], answer.verdict)
  }

  /// The answer to events, which confirms what they told and brings the campaigns that are due.
  private func told(_ body: [UInt8]) throws(JSONFault) -> Answer {
    let answer = try read(body, events)
    switch answer.verdict {
    case .done, .partly:
      var changes = answer.changes
      if !context.campaignReport.isEmpty {
        changes.append(.campaignsReported(through: context.campaignReport.mark))
      }
      if let due = try items("due", body) { changes.append(.items(.dueCampaigns, .put, due)) }
      return Answer(changes, answer.verdict)
    case .retry, .refused, .renew: return answer
    }
  }

  /// The items of one member; nil for a body without it.
  private func items(_ name: JSONKey, _ body: [UInt8]) throws(JSONFault) -> [RawItem]? {
    var cursor = JSONCursor(body)
    var items: [RawItem]?
    if try cursor.enterObject() {
      while let key = try cursor.nextKey() {
        // Also of the others: a bad item fails only itself where items are read.
        let found = try cursor.items()
        if key == name { items = found }
      }
    }
    return items
  }

  private func message(_ body: [UInt8]) throws(JSONFault) -> Answer {
    let item = RawItem(index: 0, bytes: body[...])
    if let fault = item.fault, fault.isStructural { throw fault }
    guard item.fault != nil || item.bytes.first == UInt8(ascii: "{") else { return malformed }
    return Answer([.items(.inbox, .put, [item])])
  }

  /// The content of a body without an error; nil for an unusable body.
  private enum Reading {
    case done([Change])
    case partly([EventID: String])
    case unusable
  }

  private func read(
    _ body: [UInt8], _ reading: (JSONFields) -> Reading
  ) throws(JSONFault) -> Answer {
    let fields = try JSONFields(body[...])
    if let error = fields.string("error") { return refusal(inside: error) }
    switch reading(fields) {
    case .done(let changes): return Answer(changes)
    case .partly(let rejected): return Answer([], .partly(rejected: rejected))
    case .unusable: return malformed
    }
  }

  private func settings(_ fields: JSONFields) -> VendorSettings {
    VendorSettings(
      cardsEnabled: fields.flag("cards"), inboxEnabled: fields.flag("inbox"),
      sessionTimeout: fields.integer("sessionSeconds").map { .seconds($0) })
  }

  private func device(_ fields: JSONFields) -> Reading {
    guard let device = fields.string("device"), let token = fields.string("token") else {
      return .unusable
    }
    return .done(MemoryValues.changes(device: device, token: Secret(token)))
  }

  private func person(_ fields: JSONFields) -> Reading {
    guard let key = fields.string("key") else { return .unusable }
    var person = Person(key, provider: provider, vendor: MemoryProtocol.vendor)
    person.externalID = fields.string("user")
    person.name = fields.string("name")
    person.email = fields.string("email")
    person.phone = fields.string("phone")
    person.custom = fields.json("custom")?.object ?? [:]
    return .done([.person(person)])
  }

  private func events(_ fields: JSONFields) -> Reading {
    guard let rejected = fields.json("rejected")?.object else { return .unusable }
    if rejected.isEmpty { return .done([]) }
    return .partly(
      Dictionary(
        rejected.members.map { (EventID($0.key), $0.value.string ?? "The vendor rejected it.") },
        uniquingKeysWith: { first, _ in first }))
  }

  // MARK: Errors in a body

  private var malformed: Answer {
    .retry(.malformedResponse, "The answer lacks a required field.")
  }

  private func refusal(inside word: String) -> Answer {
    word == MemoryProtocol.overloaded
      ? .retry(.unavailable, "The vendor is overloaded.")
      : .refused(.permissionDenied, "The vendor refused the request.")
  }
}
