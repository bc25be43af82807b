public import EngagementModel

/// What goes wrong on the way to a vendor and back, as a value: the same script gives the same
/// faults every time.
///
/// As JSON it is an object with `faults`, each with `fault` and what belongs to it:
/// ```json
/// {"faults": [
///   {"on": "GET /v1/cards", "fault": "status", "status": 503, "retryAfter": "120", "times": 2},
///   {"on": "POST /v1/events", "after": 1, "fault": "deadAfter"}]}
/// ```
public struct FaultScript: Hashable, Sendable {
  public var faults: [Fault]

  public init(_ faults: [Fault] = []) { self.faults = faults }

  /// One fault and when it strikes.
  public struct Fault: Hashable, Sendable {
    /// A part of `METHOD path`; every request where it is empty.
    public var place: String
    /// How many requests it lets pass first.
    public var after: Int
    /// How many requests it strikes then; nil for all.
    public var times: Int?
    public var kind: Kind

    public init(_ kind: Kind, on place: String = "", after: Int = 0, times: Int? = 1) {
      self.kind = kind
      self.place = place
      self.after = after
      self.times = times
    }
  }

  /// What goes wrong.
  @nonexhaustive public enum Kind: Hashable, Sendable {
    /// The vendor does nothing and answers with the status.
    case status(Int, retryAfter: String? = nil)
    /// The connection breaks before the vendor hears anything.
    case deadBefore
    /// The vendor does it, and the answer is lost.
    case deadAfter
    /// The answer comes that much later on the test's clock.
    case delay(Duration)
    /// Only so many bytes of the body arrive.
    case cut(Int)
    /// The body is a JSON value of another kind than the vendor's.
    case wrongType
    /// There are bytes in the body that are not UTF-8.
    case invalidUTF8
    /// The request arrives twice; the second answer is the one that counts.
    case duplicate
  }
}

// MARK: JSON

extension FaultScript {
  /// Reads a script; throws `invalidArgument` naming the fault and the member that is wrong.
  public init(json: JSON) throws(EngagementError) {
    guard let list = json["faults"]?.array else {
      throw EngagementError(.invalidArgument, "A fault script is an object with a list faults.")
    }
    faults = []
    for (index, fault) in list.enumerated() {
      faults.append(try Fault(json: fault, "faults[\(index)]"))
    }
  }

  /// The script as JSON, to be kept in a file.
  public var json: JSON { ["faults": .array(faults.map(\.json))] }
}

extension FaultScript.Fault {
  fileprivate init(json: JSON, _ name: String) throws(EngagementError) {
    let fields = FaultFields(json: json, name: name)
    self.init(
      try FaultScript.Kind(fields), on: try fields.string("on") ?? "",
      after: try fields.count("after") ?? 0,
      times: json["times"] == "always" ? nil : try fields.count("times") ?? 1)
  }

  fileprivate var json: JSON {
    var object: JSONObject = [:]
    if !place.isEmpty { object["on"] = .string(place) }
    if after > 0 { object["after"] = .integer(Int64(after)) }
    if times != 1 { object["times"] = times.map { .integer(Int64($0)) } ?? "always" }
    for member in kind.members.members { object[member.key] = member.value }
    return .object(object)
  }
}

extension FaultScript.Kind {
  fileprivate init(_ fields: FaultFields) throws(EngagementError) {
    switch try fields.string("fault") {
    case "status":
      guard let status = try fields.count("status"), (100...599).contains(status) else {
        throw fields.fault("status", "a status from 100 to 599")
      }
      self = .status(status, retryAfter: try fields.string("retryAfter"))
    case "deadBefore": self = .deadBefore
    case "deadAfter": self = .deadAfter
    case "delay": self = .delay(.milliseconds(try fields.count("milliseconds") ?? 0))
    case "cut": self = .cut(try fields.count("bytes") ?? 0)
    case "wrongType": self = .wrongType
    case "invalidUTF8": self = .invalidUTF8
    case "duplicate": self = .duplicate
    default: throw fields.fault("fault", "a fault of the ones that there are")
    }
  }

  fileprivate var members: JSONObject {
    switch self {
    case .status(let status, let wait):
      var members: JSONObject = ["fault": "status", "status": .integer(Int64(status))]
      members["retryAfter"] = wait.map(JSON.string)
      return members
    case .deadBefore: return ["fault": "deadBefore"]
    case .deadAfter: return ["fault": "deadAfter"]
    case .delay(let delay):
      let (seconds, rest) = delay.components
      let milliseconds = seconds * 1_000 + rest / 1_000_000_000_000_000
      return ["fault": "delay", "milliseconds": .integer(milliseconds)]
    case .cut(let count): return ["fault": "cut", "bytes": .integer(Int64(count))]
    case .wrongType: return ["fault": "wrongType"]
    case .invalidUTF8: return ["fault": "invalidUTF8"]
    case .duplicate: return ["fault": "duplicate"]
    }
  }
}

/// The members of one fault, with its place in the script for the error message.
private struct FaultFields {
  let json: JSON
  let name: String

  func string(_ key: String) throws(EngagementError) -> String? {
    guard let value = json[key] else { return nil }
    guard let text = value.string else { throw fault(key, "a text") }
    return text
  }

  func count(_ key: String) throws(EngagementError) -> Int? {
    guard let value = json[key] else { return nil }
    guard let count = value.integer.flatMap(Int.init(exactly:)), count >= 0 else {
      throw fault(key, "a whole number from 0")
    }
    return count
  }

  func fault(_ key: String, _ expected: String) -> EngagementError {
    EngagementError(.invalidArgument, "The field \(name).\(key) is not \(expected).")
  }
}
