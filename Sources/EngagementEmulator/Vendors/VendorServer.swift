import EngagementModel

import struct FoundationEssentials.Date

/// A vendor, as far as a client can tell: what it knows, and what it answers.
///
/// A value that is changed under the emulator's lock. It reads no clock and no randomness but what
/// it is given, so the same calls at the same times give the same answers.
protocol VendorServer: Sendable {
  /// What is there for a client, such as `POST /api/v3/data`, for whoever asks for something else.
  static var paths: [String] { get }

  /// A vendor with what the seed gives.
  init(seed: UInt64, at now: Date)

  /// Does what a call asks for.
  mutating func answer(_ call: Call, at now: Date) -> Handled

  /// The items in the vendor's own form.
  var items: [JSON] { get }
  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON
  mutating func remove(_ id: String, at now: Date) -> Bool

  /// What a device is handed for a push.
  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON

  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError)
}

/// What a vendor made of a call.
struct Handled: Sendable {
  var reply: Reply
  var effects: [EmulatorEffect] = []
  /// A few words for a reader of the record; no credential.
  var summary = ""
}

extension VendorServer {
  /// The answer for a path that the vendor does not have, or not with this method.
  static func unknown(_ call: Call) -> Handled {
    Handled(
      reply: Reply(
        404,
        json: [
          "error": "There is nothing here", "paths": .array(paths.map(JSON.string)),
        ]),
      summary: "unknown path")
  }
}

/// The vendors that there is a server for.
enum VendorTable {
  private static let servers: [(name: String, server: any VendorServer.Type)] = [
    ("braze", BrazeServer.self), ("vibes", VibesServer.self),
  ]

  static var names: [String] { servers.map(\.name) }

  static func server(_ name: String, seed: UInt64, at now: Date) -> (any VendorServer)? {
    servers.first { $0.name == name }?.server.init(seed: seed, at: now)
  }
}
