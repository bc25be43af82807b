import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Reads the vendor's answers. Total: any bytes give an answer.
struct VibesResponses {
  private let configuration: VibesConfiguration
  private let context: AdapterContext
  private let memory: VibesMemory

  init(_ configuration: VibesConfiguration, _ context: AdapterContext) {
    self.configuration = configuration
    self.context = context
    memory = VibesMemory(context)
  }

  func answer(to operation: Operation, from response: HTTPResponse) -> Answer {
    if isGone(response), let answer = gone(operation) { return answer }
    if response.status == 401, !VibesErrors.isForeign(response),
      case .vendor(VibesCall.release, let detail) = operation, !memory.isDevice(detail)
    {
      return Answer([], .renew(.operation(.vendor(VibesCall.releaseRenewal, detail))))
    }
    let replacement = memory.replacement(at: context.now)
    if response.status == 401, !VibesErrors.isForeign(response), operation == .device(.renew),
      !replacement.isEmpty
    {
      return Answer(replacement)
    }
    if let verdict = VibesErrors.verdict(on: response, to: operation, at: context.now) {
      return Answer(doubts(operation, response), verdict)
    }
    if Self.isPage(response.body) { return Answer([], VibesErrors.foreign) }
    do throws(JSONFault) {
      return try accepted(operation, response.body)
    } catch {
      return Answer([], VibesErrors.malformed(error))
    }
  }

  private func accepted(_ operation: Operation, _ body: [UInt8]) throws(JSONFault) -> Answer {
    switch operation {
    case .settings: try settings(JSONFields(body[...]))
    case .device(.register): try device(JSONFields(body[...]), isNew: true)
    case .device(.renew): try device(JSONFields(body[...]), isNew: false)
    case .device(.unregister): Answer(VibesChanges.unregistered)
    case .vendor(VibesCall.release, let detail):
      Answer(VibesChanges.released(detail, in: memory))
    case .vendor(VibesCall.releaseRenewal, let detail):
      try leaving(JSONFields(body[...]), detail)
    case .registerPush(let environment): Answer(VibesChanges.push(environment))
    case .unregisterPush: Answer(VibesChanges.push(nil))
    case .person: try person(JSONFields(body[...]))
    case .associate(let id):
      Answer(VibesChanges.association(id, in: memory, at: context.now))
    case .inbox: try messages(body)
    case .message(let id): try message(id, body)
    // The answer has the message that the user ended, which must not come back.
    case .act(let action, let item) where action.hidesItem(at: context.now):
      Answer([], try message(item.id.value, body).verdict)
    case .act(_, let item): try message(item.id.value, body)
    case .events(let events): reported(events)
    // The vendor's own client does not read the other answers.
    case .device(.update), .cards, .updatePerson, .metrics, .campaigns, .templates, .upload,
      .optOut,
      .pushContainers, .vendor:
      Answer()
    }
  }

  /// Whether the body is an HTML page. A network with a login page also answers with 200, and the
  /// vendor got no request.
  private static func isPage(_ body: [UInt8]) -> Bool {
    body.first { $0 > 0x20 } == UInt8(ascii: "<")
  }

  // MARK: Missing devices and items

  private func isGone(_ response: HTTPResponse) -> Bool {
    [404, 410].contains(response.status) && !VibesErrors.isForeign(response)
  }

  /// The answer to a 404 or 410; nil if it is an ordinary refusal.
  private func gone(_ operation: Operation) -> Answer? {
    switch operation {
    // The vendor has lost the device. Operations that wait for the token then find none and
    // register.
    case .device(.renew): Answer(VibesChanges.lost)
    case .device(.unregister): Answer(VibesChanges.unregistered)
    // The vendor has already lost the device, which is the goal.
    case .vendor(VibesCall.release, let detail), .vendor(VibesCall.releaseRenewal, let detail):
      Answer(VibesChanges.released(detail, in: memory))
    case .unregisterPush: Answer(VibesChanges.push(nil))
    case .act(let action, let item) where action.endsItem:
      Answer([.removed(.inbox, ids: [item.id.value])])
    // A device that was given up is gone, but a kill may have kept the adapter from recording it. A
    // renewal shows whether the device exists, because the vendor renews the token of any device it
    // knows.
    case .device(.update), .registerPush, .associate, .person, .events:
      memory.isDeviceConfirmed ? nil : Answer([memory.doubt], .renew(.operation(.device(.renew))))
    case .settings, .device(.register), .cards, .inbox, .message, .updatePerson, .metrics,
      .campaigns,
      .act, .templates, .upload, .optOut, .pushContainers, .vendor:
      nil
    }
  }

  private func doubts(_ operation: Operation, _ response: HTTPResponse) -> [Change] {
    switch operation {
    // If a list is refused, the device may belong to another person now.
    case .inbox
    where isGone(response) || response.status == 403 && !VibesErrors.isForeign(response):
      [VibesChanges.stalePerson]
    // The vendor accepts no token of that device any more, so there is no way left to tell it.
    case .vendor(VibesCall.releaseRenewal, let detail)
    where response.status == 401 && !VibesErrors.isForeign(response):
      VibesChanges.released(detail, in: memory)
    case .settings, .device, .registerPush, .unregisterPush, .cards, .inbox, .message, .person,
      .associate, .updatePerson, .metrics, .campaigns, .act, .events, .templates, .upload, .optOut,
      .pushContainers, .vendor:
      []
    }
  }

  // MARK: Bodies

  private func settings(_ fields: JSONFields) -> Answer {
    guard let isEnabled = fields.flag("inbox_enabled") else {
      return Answer([], VibesErrors.malformed("inbox_enabled"))
    }
    return Answer(VibesChanges.settings(inboxEnabled: isEnabled))
  }

  /// The vendor's token; nil if it is not a valid header value.
  private func token(_ fields: JSONFields) -> Secret? {
    guard let token = fields.text("auth_token"),
      (try? HTTPHeaderField("Authorization", token)) != nil
    else { return nil }
    return Secret(token)
  }

  private func leaving(_ fields: JSONFields, _ detail: JSON) -> Answer {
    guard let token = token(fields), let device = detail[VibesMemory.Name.device]?.string else {
      return Answer([], VibesErrors.malformed("auth_token"))
    }
    let name = VibesMemory.Name.leaving(VibesMemory.Name.trace(of: device))
    return Answer([.secret(.installation, name, token)])
  }

  private func device(_ fields: JSONFields, isNew: Bool) -> Answer {
    guard let token = token(fields) else {
      return Answer([], VibesErrors.malformed("auth_token"))
    }
    guard let id = fields.fields("device")?.string("vibes_device_id"), VibesItems.isUsable(id)
    else { return Answer([], VibesErrors.malformed("vibes_device_id")) }
    return Answer(
      isNew
        ? VibesChanges.registered(id, token, in: memory)
        : VibesChanges.renewed(id, token, in: memory))
  }

  private func person(_ fields: JSONFields) -> Answer {
    guard let key = fields.string("person_key"), VibesItems.isUsable(key) else {
      return Answer([], VibesErrors.malformed("person_key"))
    }
    var person = Person(key, provider: "vibes", vendor: "vibes")
    person.externalID = fields.text("external_person_id")
    person.phone = fields.fields("mobile_phone")?.text("mdn")
    person.custom = fields.json("custom_fields")?.object ?? [:]
    return Answer(VibesChanges.person(person, in: memory, at: context.now))
  }

  /// A body that is not a list is a failure, never an empty inbox.
  private func messages(_ body: [UInt8]) throws(JSONFault) -> Answer {
    var cursor = JSONCursor(body)
    let items = try cursor.items()
    try cursor.finish()
    guard let items else { return Answer([], VibesErrors.malformed("list of messages")) }
    return Answer([.items(.inbox, .replace(.nothing), items)])
  }

  private func message(_ id: String, _ body: [UInt8]) throws(JSONFault) -> Answer {
    let item = RawItem(index: 0, bytes: body[...])
    if let fault = item.fault {
      if fault.isStructural { throw fault }
      return Answer([.items(.inbox, .put, [item])])
    }
    guard let uid = try JSONFields(item).string(VibesItems.uid), uid.hasSameBytes(as: id) else {
      return Answer([], VibesErrors.malformed("such message"))
    }
    return Answer([.items(.inbox, .put, [item])])
  }

  private func reported(_ events: [EngagementEvent]) -> Answer {
    let rejected = (try? VibesBatch(events))?.rejected ?? [:]
    return Answer([], rejected.isEmpty ? .done : .partly(rejected: rejected))
  }
}

extension ItemAction {
  /// Whether the item is not shown any more once the vendor has taken the action.
  fileprivate func hidesItem(at now: Date) -> Bool {
    if case .expire(let date?) = self { date <= now } else { endsItem }
  }

  /// Whether the action removes the item, so that a missing item counts as success.
  fileprivate var endsItem: Bool {
    switch self {
    case .dismiss, .delete, .expire: true
    case .impression, .click, .open, .read, .submit, .snooze, .vote: false
    }
  }
}
