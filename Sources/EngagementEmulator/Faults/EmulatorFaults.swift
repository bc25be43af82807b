import EngagementDocuments
import EngagementHTTP
public import EngagementModel

/// What goes wrong on the way to the vendors and back: the same script, seed and requests give
/// the same faults.
///
/// ```json
/// {"faults": [
///   {"fault": "throttleSeconds", "vendor": "braze", "path": "/api/v3/data", "seconds": 2},
///   {"fault": "resetAfter", "method": "POST", "from": 3, "times": 2},
///   {"fault": "truncate", "probability": 0.05, "times": "always"}]}
/// ```
///
/// The first fault that matches a request strikes it. The documentation of the module lists the
/// kinds with what belongs to each.
public struct EmulatorFaults: Sendable {
  var faults: [Fault]

  /// Nothing goes wrong.
  public init() { faults = [] }

  /// Reads a script that a person wrote. Throws `invalidConfiguration` with the line for what is
  /// no JSON, and with the name of the field for what is no script.
  public init(document: [UInt8]) throws(EngagementError) {
    try self.init(json: try Document.parse(document))
  }

  /// The same from a value.
  public init(json: JSON) throws(EngagementError) {
    let fields = try FaultFields(json, "the script", allowed: ["faults"])
    guard let list = json["faults"]?.array else {
      throw fields.wrong("faults", "a list")
    }
    faults = []
    for (index, fault) in list.enumerated() {
      faults.append(try Fault(fault, "faults[\(index)]"))
    }
  }

  /// Throws `invalidConfiguration` for a fault of a vendor that is not one of these.
  func check(vendors: [String]) throws(EngagementError) {
    for (index, fault) in faults.enumerated() {
      guard let vendor = fault.vendor, !vendors.contains(vendor) else { continue }
      throw EngagementError(
        .invalidConfiguration,
        "In the fault script, faults[\(index)].vendor is not a vendor"
          + NearestName.hint(for: vendor, among: vendors))
    }
  }

  /// Every kind of fault that a script may name.
  public static var kinds: [String] { FaultKind.names }

  /// Those of them that strike any request, and not only one that opens a web socket.
  public static var requestKinds: [String] {
    FaultKind.allCases.filter { !$0.isOfSocket }.map(\.name)
  }

  /// How many faults the script has.
  public var count: Int { faults.count }

  /// The script as it would be written.
  public var json: JSON { ["faults": .array(faults.map(\.written))] }
}

extension EmulatorFaults {
  /// One fault, and which requests it strikes.
  struct Fault: Sendable {
    var kind: FaultKind
    var vendor: String?
    var method: String?
    /// How the path begins.
    var path: String?
    /// The first of the matching requests that is struck, from 1.
    var from = 1
    /// How many are struck; nil for all.
    var times: Int?
    /// How likely a request that would be struck is.
    var probability = 1.0
    var status = 500
    var milliseconds: Int?
    var seconds = 1
    var bytes: Int?
    /// How many of the vendor's messages pass before a web socket suffers.
    var messages = 0
    /// How a dropped web socket is closed; nil for no close frame.
    var close: SocketClose?
    /// Which part is struck; a fault that strikes has its own.
    var salt: UInt64 = 0
    /// What the script says.
    var written: JSON
  }
}

extension EmulatorFaults.Fault {
  /// How long the fault waits.
  func pause(_ usual: Int) -> Duration { .milliseconds(milliseconds ?? usual) }

  private static let members = [
    "fault", "vendor", "method", "path", "from", "times", "probability", "status",
    "milliseconds", "seconds", "bytes", "messages", "code",
  ]

  fileprivate init(_ json: JSON, _ name: String) throws(EngagementError) {
    let fields = try FaultFields(json, name, allowed: Self.members)
    guard let kind = try fields.text("fault") else {
      throw fields.wrong("fault", "a text, the kind of fault")
    }
    guard let kind = FaultKind(rawValue: kind) else {
      throw fields.wrong(
        "fault", "a kind of fault\(NearestName.hint(for: kind, among: FaultKind.names))")
    }
    self.init(kind: kind, written: json)
    vendor = try fields.text("vendor")
    method = try fields.text("method")
    path = try fields.text("path")
    from = try fields.number("from", 1...Int.max) ?? 1
    times = json["times"] == "always" ? nil : try fields.number("times", 1...Int.max) ?? 1
    probability = try fields.probability() ?? 1
    status = try fields.number("status", 200...599) ?? 500
    milliseconds = try fields.number("milliseconds", 0...600_000)
    seconds = try fields.number("seconds", 0...86_400) ?? 1
    bytes = try fields.number("bytes", 0...(256 << 20))
    messages = try fields.number("messages", 0...Int.max) ?? 0
    if let code = try fields.number("code", 1000...4999) {
      close = try? SocketClose(SocketCloseCode(rawValue: UInt16(code)))
      if close == nil { throw fields.wrong("code", "a code that a close frame may have") }
    }
  }
}
