import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// One call of the vendor's device interface, without the ids of the device and the person.
struct VibesCall {
  /// The start of the path.
  private enum Place {
    case newDevice, app, device, person
    /// A device that was given up, with its token.
    case leaving(String, Secret)
  }

  /// The prerequisite of a call. Each includes all those before it.
  private enum Need: Int {
    case nothing, device
    /// The device is associated with the same person as before.
    case association
    case person
    /// A person's key that was requested less than a minute ago.
    case freshPerson
  }

  static let callback = "callback"
  static let release = "release"
  /// Renews the token of a device that was given up.
  static let releaseRenewal = "release.renew"
  static let migrationItem = "migration_item_id"
  static let longestPersonID = 128

  private let method: HTTPMethod
  private let place: Place
  private let path: [String]
  private let body: [UInt8]?
  private let need: Need
  private var eventType: String?
  /// Whether the answer is shown as the user's own data.
  private var isReading = false

  /// Throws `unsupported` if the vendor lacks the call, and `invalidArgument` if it would refuse
  /// it.
  init(
    _ operation: Operation, _ configuration: VibesConfiguration, _ memory: VibesMemory,
    _ context: AdapterContext
  ) throws(EngagementError) {
    switch operation {
    case .settings: self = .init(.get, in: .app)
    case .device(let change):
      self = .device(change, VibesBodies.device(context.device, configuration))
    case .registerPush(let environment):
      let body = try VibesBodies.push(environment, context)
      self = .init(.post, ["push_registration"], body)
    case .unregisterPush: self = .init(.delete, ["push_registration"])
    case .associate(let id): self = .init(.post, ["assign"], try VibesBodies.person(id))
    case .person: self = .init(.get, ["person"], needing: .association)
    case .inbox: self = .init(.get, in: .person, needing: .freshPerson)
    case .message(let id): self = try .message(id)
    case .act(let action, let item): self = try .act(action, item, context)
    case .events(let events): self = try .events(events)
    case .vendor(Self.callback, let detail): self = try .migrated(detail, memory)
    case .vendor(Self.release, let detail): self = try .leaving(detail, .delete, nil, memory)
    case .vendor(Self.releaseRenewal, let detail):
      let body = VibesBodies.device(context.device, configuration)
      self = try .leaving(detail, .put, body, memory)
    case .cards, .updatePerson, .metrics, .campaigns, .templates, .upload, .optOut, .pushContainers,
      .vendor:
      throw EngagementError(.unsupported, "Vibes does not support this.")
    }
    isReading = Self.isReading(operation, context)
  }

  /// Whether the operation reads the user's own data. `.person` as a prerequisite does not count,
  /// because the other operation may concern another person than the user.
  private static func isReading(_ operation: Operation, _ context: AdapterContext) -> Bool {
    switch operation {
    case .inbox, .message: true
    case .person: context.isUserRequested
    case .settings, .device, .registerPush, .unregisterPush, .cards, .associate, .updatePerson,
      .metrics, .campaigns, .act, .events, .templates, .upload, .optOut, .pushContainers, .vendor:
      false
    }
  }

  /// Unregisters this device and no other. The operation may still be in the outbox when another
  /// device is registered.
  static func releasing(_ device: String) -> Operation {
    .vendor(release, [VibesMemory.Name.device: .string(device)])
  }

  private init(
    _ method: HTTPMethod, _ path: [String] = [], _ body: [UInt8]? = nil,
    in place: Place = .device, needing need: Need = .device
  ) {
    self.method = method
    self.path = path
    self.body = body
    self.place = place
    self.need = need
  }

  // MARK: Prerequisites

  /// The operation that must be executed before the call; nil if none is missing.
  func missing(
    in memory: VibesMemory, _ association: VibesConfiguration.Association, at now: Date
  ) -> Operation? {
    guard need.rawValue >= Need.device.rawValue else { return nil }
    guard memory.device != nil else { return .device(.register) }
    guard need.rawValue >= Need.association.rawValue else { return nil }
    if let id = memory.lostAssociation(association, whenReading: isReading) {
      return .associate(id)
    }
    return isPersonKnown(in: memory, at: now) ? nil : .person
  }

  private func isPersonKnown(in memory: VibesMemory, at now: Date) -> Bool {
    switch need {
    case .person: memory.person != nil
    case .freshPerson: memory.isPersonFresh(at: now)
    case .nothing, .device, .association: true
    }
  }

  func request(
    _ configuration: VibesConfiguration, _ memory: VibesMemory, _ context: AdapterContext
  ) throws(EngagementError) -> HTTPRequest {
    let url = try configuration.endpoint.appending(
      path: [configuration.appID] + prefix(memory) + path)
    var headers = HTTPHeaders()
    if let token = token(memory) {
      try headers.append("Authorization", Secret("MobileAppToken \(token.revealed)"))
    }
    if method != .delete { try headers.append("Accept", "application/json") }
    if body != nil { try headers.append("Content-Type", "application/json") }
    if let eventType { try headers.append("X-Event-Type", eventType) }
    return HTTPRequest(method, url.text, headers: headers, body: body)
  }

  private func token(_ memory: VibesMemory) -> Secret? {
    if case .leaving(_, let token) = place { return token }
    return need == .nothing ? nil : memory.token
  }

  private func prefix(_ memory: VibesMemory) -> [String] {
    switch place {
    case .leaving(let device, _): ["devices"] + VibesItems.segments(of: device)
    case .newDevice: ["devices"]
    case .app: []
    case .device: ["devices"] + VibesItems.segments(of: memory.device ?? "")
    case .person: ["persons"] + VibesItems.segments(of: memory.person ?? "") + ["messages"]
    }
  }
}

// MARK: The calls

extension VibesCall {
  private static func device(_ change: Operation.DeviceChange, _ body: [UInt8]) -> VibesCall {
    switch change {
    case .register: VibesCall(.post, [], body, in: .newDevice, needing: .nothing)
    case .renew: VibesCall(.put, [], body)
    case .update: VibesCall(.patch, [], body)
    case .unregister: VibesCall(.delete)
    }
  }

  /// A call for the device that the operation names: the current device, or a former one with its
  /// stored token.
  private static func leaving(
    _ detail: JSON, _ method: HTTPMethod, _ body: [UInt8]?, _ memory: VibesMemory
  ) throws(EngagementError) -> VibesCall {
    if memory.isDevice(detail) { return VibesCall(method, [], body) }
    guard let device = detail[VibesMemory.Name.device]?.string, VibesItems.isUsable(device),
      let token = memory.leavingToken(detail)
    else { throw EngagementError(.invalidArgument, "This device did not leave.") }
    return VibesCall(method, [], body, in: .leaving(device, token), needing: .nothing)
  }

  private static func message(
    _ id: String, _ method: HTTPMethod = .get, _ body: [UInt8]? = nil
  ) throws(EngagementError) -> VibesCall {
    guard VibesItems.isUsable(id) else {
      throw EngagementError(.invalidArgument, "This is no id of a message.")
    }
    return VibesCall(
      method, VibesItems.segments(of: id), body, in: .person, needing: .person)
  }

  private static func act(
    _ action: ItemAction, _ item: ItemReference, _ context: AdapterContext
  ) throws(EngagementError) -> VibesCall {
    guard item.surface == .inbox else { throw lacks(action) }
    switch action {
    case .read: return try message(item.id.value, .put, VibesBodies.read)
    case .expire(let date):
      return try message(item.id.value, .put, VibesBodies.expiry(date ?? context.acceptedAt))
    // The vendor cannot delete a message, only expire it.
    case .dismiss, .delete:
      return try message(item.id.value, .put, VibesBodies.expiry(context.acceptedAt))
    case .impression, .click, .open, .submit, .snooze, .vote: throw lacks(action)
    }
  }

  private static func lacks(_ action: ItemAction) -> EngagementError {
    EngagementError(.unsupported, "Vibes has no \(action.name) for this.")
  }

  private static func events(_ events: [EngagementEvent]) throws(EngagementError) -> VibesCall {
    let batch = try VibesBatch(events)
    guard let type = batch.type else {
      throw EngagementError(.unsupported, "Vibes has no event for this.")
    }
    // An event about a message belongs to the owner of the message, so it needs the person.
    var call = VibesCall(
      .post, ["events"], batch.body, needing: type.surface == .inbox ? .person : .association)
    call.eventType = type.rawValue
    return call
  }

  private static func migrated(
    _ detail: JSON, _ memory: VibesMemory
  ) throws(EngagementError) -> VibesCall {
    guard let item = detail[migrationItem]?.string, !item.isEmpty else {
      throw EngagementError(.invalidArgument, "The call-back needs a \(migrationItem).")
    }
    // The call requires a device, so it is never sent with an empty id.
    return VibesCall(
      .put, ["migrations", "callbacks"], VibesBodies.migrated(item, memory.device ?? ""), in: .app)
  }
}
