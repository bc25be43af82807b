// An application that exports its ledger each night: what came since the night before, as compressed
// NDJSON, each event in one file and no event in two. The vendor's server is the emulator's.
import EngagementAnalytics
import EngagementBraze
import EngagementBrazeTools
import EngagementCompression
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation

let emulator = try await Emulator.start(.init([.braze]))
let folder = FileManager.default.temporaryDirectory.appending(path: "nightly-\(UUID().uuidString)")
let cache = Engagement.Cache.file(folder.appending(path: "cache.sqlite").path)
let providers: Engagement.Providers = [
  "braze": try .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo"))
]
let routes = Engagement.Routes(cards: .only("braze"), inbox: .none)
let engagement = try await Engagement.open(
  cache: cache, device: .current(appID: "com.example.shop", appVersion: "1.0"),
  transport: CurlTransport(), providers: providers, routes: routes, options: .init(loggers: []))
try await engagement.signIn("ada", consent: .full)
try await engagement.track("Tea ordered", ["size": "large"])
try await engagement.track("Cake ordered")

try await exportNight("first")
try await exportNight("second")
try await engagement.signIn("grace", consent: .full)
try await engagement.track("Tea ordered", ["size": "small"])
try await exportNight("third")

try await engagement.close()
await emulator.stop()
try FileManager.default.removeItem(at: folder)

/// Writes what came since the last night into a file of its own.
func exportNight(_ night: String) async throws {
  // The cursor is kept in the cache. It belongs to one selection, whose words it remembers.
  let cursor = try await engagement.exportCursor(named: "nightly", selecting: "custom events")
  let reader = try EngagementReader.open(cache: cache, providers: providers, routes: routes)
  var selection = EventSelection()
  selection.kinds = [.custom]
  (selection.after, selection.through) = (cursor.sequence, try reader.newestSequence)
  guard selection.through > selection.after else { return print("\(night) night: nothing new") }

  // All devices with this key give a person the same name.
  let hash = PersonHash(key: Array("the organisation's key".utf8))
  var export = EventExport(selection, from: "urn:example:phone") { user in
    user.id.map { hash.text(of: $0.rawValue) }
  }
  let compressor = try Compressor(.zstd)
  var encoder = NDJSONEncoder()
  var bytes: [UInt8] = []
  encoder.begin()
  var isMore = true
  while isMore {
    isMore = try reader.writeEvents(of: &export, to: &encoder)
    if !isMore { encoder.finish() }
    bytes += try compressor.compress(encoder.bytes)
    encoder.takeBytes()
  }
  bytes += try compressor.finish()

  // First the file, durably; then the cursor. If the machine stops between the two, the next night
  // writes the same events into a file of the same name.
  let name = "events-\(selection.after).ndjson.zst"
  let file = folder.appending(path: name)
  try Data(bytes).write(to: file, options: .atomic)
  let handle = try FileHandle(forUpdating: file)
  try handle.synchronize()
  try handle.close()
  try await engagement.moveExportCursor(cursor, to: selection.through)
  print("\(night) night: \(export.events) events")
  try show(file)
}

/// Reads a file back.
func show(_ file: URL) throws {
  let decompressor = try Decompressor(.zstd)
  var decoder = NDJSONDecoder()
  func tell(_ line: Int, _ event: DecodedEvent) {
    guard case .event(let record) = event else { return print("line \(line) holds no event") }
    print("  \(record.text(.type)) \(record.text(.name)) by \(record.text(.user).prefix(8))")
  }
  try decompressor.decompress(Array(try Data(contentsOf: file))) { decoder.decode($0, tell) }
  try decompressor.finish()
  decoder.finish(tell)
}

extension EventRecord {
  fileprivate func text(_ column: EventColumn) -> String {
    if case .text(let bytes) = self[column] { String(decoding: bytes, as: UTF8.self) } else { "-" }
  }
}
