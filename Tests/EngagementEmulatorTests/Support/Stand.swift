import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCleverTapTools
import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors
import EngagementVibesTools
import Foundation
import Testing

/// An emulator with a stopped clock, and requests to it.
struct Stand {
  /// 2026-11-22T00:00:00Z.
  static let start = Date(timeIntervalSince1970: 1_795_305_600)

  /// The tested vendors.
  static let registrations: [VendorRegistration] = [.braze, .vibes]
  static let vendors = registrations.map(\.name)
  /// All vendors that have a server.
  private static let all = registrations + [.cleverTap, .atomic, .echo]

  let emulator: Emulator

  /// Runs a test with an emulator of its own, which it stops in any case.
  static func run(
    vendors: [String] = Stand.vendors, faults: JSON? = nil,
    _ body: (Stand) async throws -> Void
  ) async throws {
    let faults = try faults.map { try EmulatorFaults(json: ["faults": $0]) }
    let emulator = try await Emulator.start(
      .init(all, vendors: vendors, seed: 7, faults: faults, clock: start))
    do {
      try await body(Stand(emulator: emulator))
    } catch {
      await emulator.stop()
      throw error
    }
    await emulator.stop()
  }

  /// A call to the control interface.
  func control(_ method: String, _ path: String, _ body: JSON? = nil) throws -> RawAnswer {
    var request = RawRequest(method, "/_emulator/\(path)", body)
    request.headers = [("Authorization", "Bearer \(emulator.controlToken.revealed)")]
    return try request.send(to: emulator.controlEndpoint)
  }
}

// MARK: Braze

extension Stand {
  var braze: String { emulator.endpoint(of: "braze") }

  /// A body with the members of every Braze call.
  static func body(user: String? = "ada", device: String = "d-1", _ more: JSON = [:]) -> JSON {
    var body: JSONObject = [
      "api_key": "key", "device_id": .string(device), "time": 1_795_305_600, "sdk_version": "1.0",
    ]
    body["user_id"] = user.map(JSON.string)
    for member in more.object?.members ?? [] { body[member.key] = member.value }
    return .object(body)
  }

  /// A sync in a session, which it begins with the first one.
  func sync(
    user: String? = "ada", device: String = "d-1", full: Int64 = 0, updated: Int64 = 0,
    inSession: Bool = true
  ) throws -> JSON {
    if inSession, full <= 0 {
      try data(user: user, device: device, ["events": [Self.event("ss", [:])]])
    }
    let marks: JSON = [
      "last_full_sync_at": .integer(full), "last_card_updated_at": .integer(updated),
    ]
    let answer = try RawRequest(
      "POST", "/api/v3/content_cards/sync", Self.body(user: user, device: device, marks)
    ).send(to: braze)
    #expect(answer.status == 201)
    return try #require(answer.json)
  }

  /// The next sync after an answer.
  func sync(after answer: JSON, user: String? = "ada", device: String = "d-1") throws -> JSON {
    try sync(
      user: user, device: device, full: answer["last_full_sync_at"]?.integer ?? -1,
      updated: answer["last_card_updated_at"]?.integer ?? -1)
  }

  @discardableResult
  func data(
    user: String? = "ada", device: String = "d-1", token: String? = nil, _ more: JSON
  ) throws -> JSON {
    var request = RawRequest(
      "POST", "/api/v3/data", Self.body(user: user, device: device, more))
    request.headers = token.map { [("X-Braze-Auth-Signature", $0)] } ?? []
    let answer = try request.send(to: braze)
    #expect(answer.status == 201 || answer.status == 200)
    return try #require(answer.json)
  }

  static func event(_ name: String, _ data: JSON, user: String? = nil) -> JSON {
    var event: JSONObject = ["name": .string(name), "time": 1_795_305_600.5, "data": data]
    event["session_id"] = "s-1"
    event["user_id"] = user.map(JSON.string)
    return .object(event)
  }
}

extension JSON {
  /// The cards of a sync's answer by their ids.
  var cards: [String: JSON] {
    Dictionary(
      (self["cards"]?.array ?? []).compactMap { card in card["id"]?.string.map { ($0, card) } },
      uniquingKeysWith: { first, _ in first })
  }
}
