import EngagementFormats
import EngagementModel
import EngagementVendors

/// What the control interface shows and changes of the emulator as a whole.
extension ControlAPI {
  var status: JSON {
    var vendors = JSONObject()
    for name in core.vendors { vendors[name] = endpoints[name].map(JSON.string) }
    return [
      "vendors": .object(vendors), "offline": .bool(core.isOffline),
      "clock": ISO8601.text(of: core.now).map(JSON.string) ?? .null,
      "seed": .integer(Int64(bitPattern: core.seed)), "requests": .integer(Int64(core.count)),
    ]
  }

  func requests(for call: VendorRequest) throws(EngagementError) -> JSON {
    let vendor = call.query("vendor")
    guard let number = Int(call.query("after") ?? "0") else {
      throw EngagementError(.invalidArgument, "The number in after is none")
    }
    let requests = core.requests(after: number).filter { vendor == nil || $0.vendor == vendor }
    return ["requests": .array(requests.map(\.json))]
  }

  var effects: JSON {
    let effects = core.effects().sorted { $0.key.order < $1.key.order }
    return [
      "effects": .array(
        effects.map { effect, count in
          var object = effect.json
          object["count"] = .integer(Int64(count))
          return .object(object)
        })
    ]
  }

  func seed(_ call: VendorRequest) throws(EngagementError) {
    guard let seed = try body(of: call)["seed"]?.integer else {
      throw EngagementError(.invalidArgument, "The field seed is not a whole number")
    }
    core.reset(seed: UInt64(bitPattern: seed))
  }

  /// `{"advance": "PT1H"}`, `{"advance": 3600}` or `{"now": "2026-11-22T00:00:00.000Z"}`.
  func clock(_ call: VendorRequest) throws(EngagementError) {
    let body = try body(of: call)
    if let now = body["now"] {
      guard let date = now.string.flatMap(ISO8601.date(from:)) else {
        throw EngagementError(.invalidArgument, "The field now is not a time of ISO 8601")
      }
      return core.setClock(to: date)
    }
    let duration =
      body["advance"]?.string.flatMap(ISO8601.duration(from:))
      ?? body["advance"]?.integer.flatMap(Self.seconds)
    guard let duration else {
      throw EngagementError(
        .invalidArgument, "The field advance is neither seconds nor a duration of ISO 8601")
    }
    core.advanceClock(by: duration)
  }

  /// A time that a clock can be moved by: ten thousand years at most.
  private static func seconds(_ count: Int64) -> Duration? {
    count.magnitude <= 315_360_000_000 ? .seconds(count) : nil
  }

  func offline(_ call: VendorRequest) throws(EngagementError) {
    guard let offline = try body(of: call)["offline"]?.bool else {
      throw EngagementError(.invalidArgument, "The field offline is neither true nor false")
    }
    core.setOffline(offline)
    if offline { resetVendors() }
  }
}
