import EngagementFormats
public import EngagementModel
import EngagementVendors

extension EmulatorRequest {
  /// The request as the control interface lists it; what is nil is absent.
  public var json: JSON {
    var object: JSONObject = [
      "number": .integer(Int64(number)), "vendor": .string(vendor), "method": .string(method),
      "host": .string(host), "credentials": .array(credentials.map(JSON.string)),
      "path": .string(path), "bytes": .integer(Int64(bytes)), "summary": .string(summary),
      "effects": .array(effects.map { .object($0.json) }),
    ]
    object["time"] = ISO8601.text(of: time).map(JSON.string)
    object["status"] = status.map { .integer(Int64($0)) }
    object["fault"] = fault.map(JSON.string)
    object["altered"] = (alteration?.differs).map(JSON.bool)
    object["socket"] = socket.map { .integer(Int64($0)) }
    return .object(object)
  }
}

extension VendorEffect {
  var json: JSONObject {
    ["name": .string(name), "subject": .string(subject), "user": .string(user)]
  }

  /// For a list that is the same every time.
  var order: String { "\(name)\u{1}\(subject)\u{1}\(user)" }
}
