import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The requests of one operation.
///
/// Each throws `unauthenticated` if it needs a signature and the context has none.
struct BrazeRequests {
  private let configuration: BrazeConfiguration
  private let context: AdapterContext
  private let memory: BrazeMemory

  init(_ configuration: BrazeConfiguration, _ context: AdapterContext) {
    self.configuration = configuration
    self.context = context
    memory = BrazeMemory(context.values)
  }

  // MARK: Operations

  /// Requests the cards that changed since the watermarks; all cards if the kit wants them.
  func cards() throws(EngagementError) -> HTTPRequest {
    let watermarks =
      context.wantsEverything
      ? (full: 0, updated: 0) : memory.watermarks(for: configuration.sdkVersion)
    var body = opening()
    body.member("last_full_sync_at", watermarks.full)
    body.member("last_card_updated_at", watermarks.updated)
    writeUser(to: &body)
    body.endObject()
    var headers = try headers(for: .cards)
    try headers.append("X-Braze-DataRequest", "true")
    try headers.append("X-Braze-ContentCardsRequest", "true")
    try headers.append("BRAZE-SYNC-RETRY-COUNT", String(context.attempt - 1))
    return request(.cards, headers, body)
  }

  /// Requests the settings and sends no data.
  func data() throws(EngagementError) -> HTTPRequest { try data { _ in } }

  /// Sends the events that the vendor accepts.
  func events(_ events: [EngagementEvent]) throws(EngagementError) -> HTTPRequest {
    try data { body in
      body.key("events")
      body.beginArray()
      let meanings = BrazeEvent.meanings(of: events, knowing: memory)
      for (event, meaning) in zip(events, meanings) {
        guard case .travels(let name, let data) = meaning else { continue }
        writeEvent(name, data, at: event.time, in: event.session, to: &body)
      }
      body.endArray()
    }
  }

  private func writeEvent(
    _ name: String, _ data: JSONObject, at time: Date, in session: SessionID?,
    to body: inout JSONWriter
  ) {
    body.beginObject()
    body.member("name", name)
    body.member("time", Epoch.seconds(of: time) ?? 0)
    body.member("data", .object(data))
    // An event that was accepted without a session, perhaps by an earlier version, belongs to the
    // present one: the vendor ties every event to a session.
    if let session = session ?? context.session?.id {
      body.member("session_id", session.rawValue)
    }
    writeUser(to: &body)
    body.endObject()
  }

  /// Sends the user's attributes; nil if the vendor blocks all of them. A list is sent as an event.
  /// Throws `unsupported` for a field without an attribute.
  func attributes(of update: PersonUpdate) throws(EngagementError) -> HTTPRequest? {
    let attributes = try BrazeAttributes(update, without: memory.blocklists)
    guard !attributes.isEmpty else { return nil }
    return try data { body in
      if !attributes.lists.isEmpty {
        body.key("events")
        body.beginArray()
        for list in attributes.lists {
          writeEvent(
            "set", ["key": .string(list.key), "value": list.value], at: context.acceptedAt,
            in: nil, to: &body)
        }
        body.endArray()
      }
      if !attributes.members.isEmpty {
        writeAttributes(to: &body) { body in
          for member in attributes.members.members { body.member(member.key, member.value) }
        }
      }
    }
  }

  /// Sends the push token, which is an attribute of the user.
  func pushToken(for environment: PushEnvironment) throws(EngagementError) -> HTTPRequest {
    guard let registration = context.push[environment] else {
      throw EngagementError(.invalidArgument, "There is no push token for \(environment).")
    }
    return try data { body in
      writeAttributes(to: &body) { $0.member("push_token", registration.token.revealed) }
    }
  }

  /// Takes the push token back.
  func noPushToken() throws(EngagementError) -> HTTPRequest {
    try data { body in writeAttributes(to: &body) { $0.member("push_token", JSON.null) } }
  }

  // MARK: Parts

  /// Writes one object of attributes.
  private func writeAttributes(
    to body: inout JSONWriter, _ members: (inout JSONWriter) -> Void
  ) {
    body.key("attributes")
    body.beginArray()
    body.beginObject()
    writeUser(to: &body)
    members(&body)
    body.endObject()
    body.endArray()
  }

  private func data(_ write: (inout JSONWriter) -> Void) throws(EngagementError) -> HTTPRequest {
    var body = opening()
    writeUser(to: &body)
    write(&body)
    body.key("respond_with")
    body.beginObject()
    writeUser(to: &body)
    body.key("config")
    body.beginObject()
    body.member("config_time", memory.configTime ?? 0)
    body.endObject()
    body.endObject()
    body.endObject()
    return request(.data, try headers(for: .data), body)
  }

  /// The members at the start of every body.
  private func opening() -> JSONWriter {
    var body = JSONWriter(reservingCapacity: 1_024)
    body.beginObject()
    body.member("api_key", configuration.apiKey.revealed)
    body.member("time", Epoch.wholeSeconds(of: context.now) ?? 0)
    body.member("sdk_version", configuration.sdkVersion)
    body.member("device_id", context.device.id)
    if let version = context.device.appVersion { body.member("app_version", version) }
    if let build = context.device.appBuild { body.member("app_version_code", build) }
    let device = BrazeDevice(context.device)
    if device.digest != memory.sentDevice {
      body.key("device")
      body.raw(device.bytes[...])
    }
    return body
  }

  private func writeUser(to body: inout JSONWriter) {
    if let id = context.user.id { body.member("user_id", id.rawValue) }
  }

  private func headers(for endpoint: BrazeEndpoint) throws(EngagementError) -> HTTPHeaders {
    var headers = HTTPHeaders()
    try headers.append("Content-Type", "application/json")
    try headers.append("X-Requested-With", "XMLHttpRequest")
    try headers.append("X-Braze-Api-Key", configuration.apiKey)
    for (name, value) in endpoint.usageHeaders(memory, context) { try headers.append(name, value) }
    try sign(&headers)
    return headers
  }

  /// Signs only requests of a signed-in user; the vendor wants no signature on anonymous ones.
  private func sign(_ headers: inout HTTPHeaders) throws(EngagementError) {
    guard configuration.signsRequests, !context.user.isAnonymous else { return }
    guard let signature = context.credential else {
      throw EngagementError(.unauthenticated, "Braze needs the application's signature.")
    }
    do throws(EngagementError) {
      try headers.append("X-Braze-Auth-Signature", signature)
    } catch {
      throw EngagementError(.unauthenticated, "The signature cannot be sent in a header.")
    }
  }

  private func request(
    _ endpoint: BrazeEndpoint, _ headers: HTTPHeaders, _ body: JSONWriter
  ) -> HTTPRequest {
    HTTPRequest(
      .post, "\(configuration.origin)\(endpoint.path)", headers: headers, body: body.bytes)
  }
}

/// The device data for the vendor. It is sent only after a change.
struct BrazeDevice {
  let bytes: [UInt8]
  var digest: String { String(ContentHash.of(bytes[...]), radix: 16) }

  init(_ device: Device) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("os_version", device.systemVersion)
    writer.member("locale", device.locale)
    writer.member("time_zone", device.timeZone)
    writer.endObject()
    bytes = writer.bytes
  }
}
