import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// One thing that changes a vendor. Its servers have no chance of their own: the same changes in the
/// same order, at the same times, make the same vendor.
enum VendorChange {
  case call(VendorRequest)
  case put(JSON)
  case remove(String)
  case push(JSON)
  case configure(JSON)
  case expireCredentials
  case openSocket(Int, VendorRequest)
  case hear(String, on: Int)
  case socketClosed(Int)

  /// Makes the change, and returns what is answered.
  func apply(
    to vendor: inout any VendorServer, at now: Date
  ) throws(EngagementError) -> JSON {
    switch self {
    case .call(let request):
      _ = vendor.answer(request, at: now)
      return .null
    case .put(let item): return try vendor.put(item, at: now)
    case .remove(let id): return .bool(vendor.remove(id, at: now))
    case .push(let message): return try vendor.push(message, at: now)
    case .configure(let settings):
      try vendor.configure(settings, at: now)
      return .null
    case .expireCredentials:
      vendor.expireCredentials(at: now)
      return .null
    case .openSocket(let socket, let request):
      _ = vendor.openSocket(socket, for: request, at: now)
      return .null
    case .hear(let text, let socket):
      _ = vendor.hear(text, on: socket, at: now)
      return .null
    case .socketClosed(let socket):
      vendor.socketClosed(socket, at: now)
      return .null
    }
  }
}

// MARK: As JSON

extension VendorChange {
  var json: JSONObject {
    switch self {
    case .call(let request): return Self.json(of: request)
    case .put(let item): return ["put": item]
    case .remove(let id): return ["remove": .string(id)]
    case .push(let message): return ["push": message]
    case .configure(let settings): return ["configure": settings]
    case .expireCredentials: return ["expire": true]
    case .openSocket(let socket, let request):
      var json = Self.json(of: request)
      json["open"] = .integer(Int64(socket))
      return json
    case .hear(let text, let socket):
      return ["hear": .string(text), "socket": .integer(Int64(socket))]
    case .socketClosed(let socket): return ["closed": .integer(Int64(socket))]
    }
  }

  private static func json(of request: VendorRequest) -> JSONObject {
    var headers = JSONObject()
    for (name, value) in request.headers { headers[name] = .string(value) }
    return [
      "method": .string(request.method), "target": .string(request.target),
      "headers": .object(headers), "body": .string(Base64.text(of: request.body)),
    ]
  }

  /// Nil for an object that is no change.
  init?(_ json: JSON) {
    if let item = json["put"] {
      self = .put(item)
    } else if let id = json["remove"]?.string {
      self = .remove(id)
    } else if let message = json["push"] {
      self = .push(message)
    } else if let settings = json["configure"] {
      self = .configure(settings)
    } else if json["expire"] == true {
      self = .expireCredentials
    } else if let text = json["hear"]?.string, let socket = json["socket"]?.integer {
      self = .hear(text, on: Int(socket))
    } else if let socket = json["closed"]?.integer {
      self = .socketClosed(Int(socket))
    } else if let method = json["method"]?.string, let target = json["target"]?.string,
      let body = json["body"]?.string.flatMap({ Base64.bytes(from: $0) })
    {
      let headers = json["headers"]?.object?.members.compactMap { member in
        member.value.string.map { (member.key, $0) }
      }
      let request = VendorRequest(
        method: method, target: target, headers: headers ?? [], body: body)
      self = json["open"]?.integer.map { .openSocket(Int($0), request) } ?? .call(request)
    } else {
      return nil
    }
  }
}
