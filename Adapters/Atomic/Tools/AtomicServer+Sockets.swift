import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What clients say on the web socket.
extension AtomicServer {
  /// Why a message is refused: in the vendor's word, and for a reader.
  private struct MessageFault: Error {
    var type: String
    var message: String
    var subscription: String?

    static func invalid(_ message: String) -> MessageFault {
      MessageFault(type: "invalid-message", message: message)
    }
  }

  mutating func openSocket(
    _ socket: Int, for request: VendorRequest, at now: Date
  ) -> VendorSocketAnswer? {
    guard let segments = request.segments, segments.last == "socket", segments.count <= 2 else {
      return nil
    }
    guard settings.hasSocket else { return .refused(failure(503, "There is no socket now")) }
    guard hasAPIKey(request.query("api-key")) else {
      return .refused(failure(401, "Invalid API key"))
    }
    let names = ["platform", "version", "timezone", "device", "client-app-version"]
      .map { "x-atomic-sdk-\($0)" }
    if settings.isStrict, let missing = names.first(where: { request.query($0)?.isEmpty ?? true }) {
      return .refused(failure(400, "The query has no \(missing)"))
    }
    sockets[socket] = AtomicServerSocket()
    return .accepted(VendorSocketOpening())
  }

  mutating func socketClosed(_ socket: Int, at now: Date) { sockets[socket] = nil }

  mutating func hear(_ text: String, on socket: Int, at now: Date) -> VendorHearing {
    guard sockets[socket] != nil else { return VendorHearing(summary: "a closed socket") }
    // A token that has ended since is told of before the answer.
    outputs += expiries(on: socket, at: now)
    let message = (try? JSON(parsing: Array(text.utf8)))?.object
    do throws(MessageFault) {
      guard let message, let type = message["messageType"]?.string else {
        throw .invalid("The message is no object with a messageType")
      }
      guard message["messageId"]?.string?.isEmpty == false else {
        throw .invalid("The message has no messageId")
      }
      return try hear(type, message, on: socket, at: now)
    } catch {
      say(error, to: message?["messageId"], on: socket)
      return VendorHearing(summary: error.message)
    }
  }

  private mutating func hear(
    _ type: String, _ message: JSONObject, on socket: Int, at now: Date
  ) throws(MessageFault) -> VendorHearing {
    if type == "custom-ping" {
      if settings.answersPings { say("custom-pong", on: socket) }
      return VendorHearing(summary: "ping")
    }
    if type == "auth" { return try authenticate(message, on: socket, at: now) }
    guard ["subscribe", "unsubscribe", "events"].contains(type) else {
      throw .invalid("There is no message \(type)")
    }
    guard let user = sockets[socket]?.token?.user else {
      throw MessageFault(type: "invalid-token", message: "The socket has no token yet")
    }
    let data = message["data"]
    switch type {
    case "subscribe":
      return try subscribe(data, in: message["messageId"], of: user, on: socket, at: now)
    case "unsubscribe": return try unsubscribe(data, on: socket)
    case _: return try hearEvents(data, of: user, on: socket)
    }
  }

  /// A token of another user ends the subscriptions.
  private mutating func authenticate(
    _ message: JSONObject, on socket: Int, at now: Date
  ) throws(MessageFault) -> VendorHearing {
    guard let text = message["authToken"]?.string else { throw .invalid("There is no authToken") }
    do throws(AtomicServerToken.Refusal) {
      let token = try accepted(text, at: now)
      if sockets[socket]?.token?.user != token.user { sockets[socket]?.subscriptions = [] }
      sockets[socket]?.token = token
      say("auth-success", on: socket)
      return VendorHearing(summary: "auth of \(token.user)")
    } catch {
      throw MessageFault(type: error.rawValue, message: error.title)
    }
  }

  /// Each subscription with an id is taken or refused on its own.
  private mutating func subscribe(
    _ data: JSON?, in message: JSON?, of user: String, on socket: Int, at now: Date
  ) throws(MessageFault) -> VendorHearing {
    guard let wanted = data?["subscriptions"]?.array, !wanted.isEmpty else {
      throw .invalid("There are no subscriptions")
    }
    let ids = wanted.map { $0["subscriptionId"]?.string ?? "" }
    guard !ids.contains("") else { throw .invalid("A subscription has no subscriptionId") }
    var updates: [JSON] = []
    for (id, json) in zip(ids, wanted) {
      do throws(MessageFault) {
        updates.append(try subscribe(id, json, of: user, on: socket, at: now))
      } catch {
        var error = error
        error.subscription = id
        say(error, to: message, on: socket)
      }
    }
    if !updates.isEmpty { sayUpdates(updates, on: socket) }
    return VendorHearing(summary: "subscribe to \(updates.count) of \(wanted.count)")
  }

  /// Returns the whole feed.
  private mutating func subscribe(
    _ id: String, _ json: JSON, of user: String, on socket: Int, at now: Date
  ) throws(MessageFault) -> JSON {
    guard let container = json["streamContainerId"]?.string, hasContainer(container) else {
      throw MessageFault(
        type: "invalid-stream-container-id", message: "Invalid stream container id")
    }
    let filter: AtomicServerFilter
    do throws(AtomicServerFilter.Refusal) {
      filter = try AtomicServerFilter(json["filters"])
    } catch {
      throw MessageFault(type: "invalid-filter", message: error.message)
    }
    knownContainers.insert(container)
    var subscription = AtomicServerSocket.Subscription(
      id: id, container: container, filter: filter, revision: revision, comparedAt: now)
    let cards = listed(in: container, filter, for: user, at: now)
    subscription.note(cards, nextChange: nextChange(of: user, in: container, after: now))
    sockets[socket]?.subscriptions.removeAll { $0.id == id }
    sockets[socket]?.subscriptions.append(subscription)
    let instances = cards.compactMap { try? JSON(parsing: $0.bytes) }
    return [
      "type": "replace-feed",
      "data": [
        "subscriptionId": .string(id),
        "cardInstances": [
          "instances": .array(instances), "totalCards": .integer(Int64(instances.count)),
        ],
      ],
    ]
  }

  /// Ids without a subscription are no error.
  private mutating func unsubscribe(
    _ data: JSON?, on socket: Int
  ) throws(MessageFault) -> VendorHearing {
    guard let ids = data?["subscriptionIds"]?.array?.map(\.string), !ids.contains(nil) else {
      throw .invalid("There are no subscriptionIds")
    }
    sockets[socket]?.subscriptions.removeAll { ids.contains($0.id) }
    return VendorHearing(summary: "unsubscribe from \(ids.count)")
  }

  private mutating func hearEvents(
    _ data: JSON?, of user: String, on socket: Int
  ) throws(MessageFault) -> VendorHearing {
    guard let events = data?["events"]?.array else { throw .invalid("There are no events") }
    do throws(AnalyticsFault) {
      let (ids, effects) = try take(events, by: user)
      say("events-processed", ["eventIds": .array(ids.map(JSON.string))], on: socket)
      return VendorHearing(
        effects: effects, summary: "\(ids.count) events, \(effects.count) new")
    } catch {
      throw .invalid(error.message)
    }
  }

  // MARK: What the vendor says

  private mutating func say(_ fault: MessageFault, to message: JSON?, on socket: Int) {
    var data: JSONObject = [
      "errorType": .string(fault.type), "errorMessage": .string(fault.message),
    ]
    data["messageId"] = message
    data["subscriptionId"] = fault.subscription.map(JSON.string)
    say("error", .object(data), on: socket)
  }

  /// Updates, and how many cards each subscription of the socket has now.
  mutating func sayUpdates(_ updates: [JSON], on socket: Int) {
    var totals = JSONObject()
    for subscription in sockets[socket]?.subscriptions ?? [] {
      totals[subscription.id] = ["totalCards": .integer(Int64(subscription.total))]
    }
    say(
      "update-cards",
      ["meta": ["subscriptions": .object(totals)], "updates": .array(updates)], on: socket)
  }

  mutating func say(_ type: String, _ data: JSON? = nil, on socket: Int) {
    outputs.append(Self.message(type, data, on: socket))
  }

  static func message(_ type: String, _ data: JSON? = nil, on socket: Int) -> VendorSocketOutput {
    var message: JSONObject = ["messageType": .string(type)]
    message["data"] = data
    let text = String(decoding: JSON.object(message).encoded(), as: UTF8.self)
    return VendorSocketOutput(.say(text), on: socket)
  }
}
