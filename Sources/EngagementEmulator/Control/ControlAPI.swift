import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors

/// The control interface: what `Emulator` can do, over HTTP.
struct ControlAPI: Sendable {
  let core: EmulatorCore
  let token: Secret
  let endpoints: [String: String]
  let resetVendors: @Sendable () -> Void

  /// Every path, for the documentation, for its test and for the answer to any other path.
  static let paths = [
    "GET /_emulator/status", "GET /_emulator/requests", "DELETE /_emulator/requests",
    "GET /_emulator/effects", "POST /_emulator/seed", "GET /_emulator/items/{vendor}",
    "PUT /_emulator/items/{vendor}", "DELETE /_emulator/items/{vendor}/{id}",
    "POST /_emulator/push/{vendor}", "PATCH /_emulator/settings/{vendor}",
    "POST /_emulator/clock", "GET /_emulator/faults", "PUT /_emulator/faults",
    "DELETE /_emulator/faults", "POST /_emulator/offline", "POST /_emulator/expire/{vendor}",
    "GET /_emulator/sockets", "POST /_emulator/sockets/{number}/say",
    "POST /_emulator/sockets/{number}/drop", "POST /_emulator/sockets/{number}/silence",
  ]

  func answer(_ call: VendorRequest) -> VendorReply {
    if let refusal = LoopbackGuard.refusal(of: call) { return refusal }
    guard ControlToken.isIn(call, token) else {
      return VendorReply(
        401, headers: [("WWW-Authenticate", "Bearer"), ("Content-Type", "application/json")],
        body: JSON.object(["error": "The control interface wants its token"]).encoded())
    }
    do throws(EngagementError) {
      return try route(call)
    } catch {
      return VendorReply(Self.status(of: error), json: ["error": .string(error.message)])
    }
  }

  private func route(_ call: VendorRequest) throws(EngagementError) -> VendorReply {
    guard let segments = call.segments, segments.first == "_emulator" else { return nothing }
    let rest = Array(segments.dropFirst())
    switch (call.method, rest.first, rest.count) {
    case ("GET", "status", 1): return VendorReply(json: status)
    case ("GET", "requests", 1): return VendorReply(json: try requests(for: call))
    case ("DELETE", "requests", 1): core.clear()
    case ("GET", "effects", 1): return VendorReply(json: effects)
    case ("POST", "seed", 1): try seed(call)
    case ("POST", "clock", 1): try clock(call)
    case ("POST", "offline", 1): try offline(call)
    case ("GET", "sockets", 1): return VendorReply(json: sockets(for: call))
    case ("POST", "sockets", 3): return VendorReply(json: try order(call, rest[1], rest[2]))
    case ("GET", "faults", 1): return VendorReply(json: core.faults.json)
    case ("PUT", "faults", 1): try core.load(try EmulatorFaults(document: call.body))
    case ("DELETE", "faults", 1): try core.load(EmulatorFaults())
    default: return try vendorRoute(call, rest)
    }
    return VendorReply(json: status)
  }

  private func vendorRoute(_ call: VendorRequest, _ rest: [String]) throws(EngagementError)
    -> VendorReply
  {
    guard rest.count > 1 else { return nothing }
    switch (call.method, rest[0], rest.count) {
    case ("GET", "items", 2):
      let items = try core.withVendor(rest[1]) { vendor, _ throws(EngagementError) in
        vendor.items
      }
      return VendorReply(json: ["items": .array(items)])
    case ("PUT", "items", 2):
      let item = try body(of: call)
      return VendorReply(json: try core.change(rest[1], .put(item)))
    case ("DELETE", "items", 3):
      let wasThere = try core.change(rest[1], .remove(rest[2])) == true
      return VendorReply(wasThere ? 200 : 404, json: ["removed": .bool(wasThere)])
    case ("POST", "push", 2):
      let message = try body(of: call)
      return VendorReply(json: try core.change(rest[1], .push(message)))
    case ("POST", "expire", 2):
      try core.change(rest[1], .expireCredentials)
      return VendorReply(json: status)
    case ("PATCH", "settings", 2):
      let settings = try body(of: call)
      try core.change(rest[1], .configure(settings))
      return VendorReply(json: status)
    default: return nothing
    }
  }

  private var nothing: VendorReply {
    VendorReply(
      404,
      json: ["error": "There is nothing here", "paths": .array(Self.paths.map(JSON.string))])
  }

  func body(of call: VendorRequest) throws(EngagementError) -> JSON {
    do {
      return try JSON(parsing: call.body)
    } catch {
      throw EngagementError(.invalidArgument, "The body is not JSON")
    }
  }

  private static func status(of error: EngagementError) -> Int {
    switch error.code {
    case .notFound: 404
    case .invalidArgument, .invalidConfiguration: 400
    default: 500
    }
  }
}
