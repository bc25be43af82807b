import BenchReport
import EngagementKit
import EngagementModel
import FoundationEssentials
import StoreBench

/// Events a hundred at a time, each hundred durable before the next.
func append(in folder: String, transactions: Int) async throws {
  try renew(folder)
  let ledger = try await StoreBench.Ledger(
    at: Application.cache(in: folder), now: Application.now)
  let batches = (0..<transactions).map { batch in (0..<100).map { event(batch * 100 + $0) } }
  var laps = Laps()
  for batch in batches { try await laps.measure { try await ledger.append(batch) } }
  var line = Line()
  line.add("rows", laps.typical)
  line.add("count", transactions)
  line.add("peak_kb", Kernel.peakKilobytes())
  try await ledger.close()
  line.print()
}

/// An impression of a card, with an id that follows the one before, as the kit makes them.
private func event(_ number: Int) -> EngagementEvent {
  let time = Application.now.addingTimeInterval(Double(number) / 1_000)
  let milliseconds = UInt64(time.timeIntervalSince1970 * 1_000)
  let id =
    "\(hex(milliseconds >> 16, 8))-\(hex(milliseconds & 0xffff, 4))-7"
    + "\(hex(UInt64(number) & 0xfff, 3))-8\(hex(UInt64(number * 7) & 0xfff, 3))-"
    + hex(UInt64(number) &* 0x9e37_79b9_7f4a & 0xffff_ffff_ffff, 12)
  let card = ItemID(
    Application.provider, "5f1e6b7c8d9e0f1a2b3c4d5e_\(hex(UInt64(number % 5_000), 8))")
  return EngagementEvent(
    id: EventID(id), kind: .impression, time: time, zoneOffset: 7_200,
    session: "018f3b1e-7c4d-7a6b-8d2e-9f1a2b3c4d5e", provider: Application.provider,
    item: ItemReference(card, on: .cards),
    properties: ["position": .integer(Int64(number % 40)), "screen": "home", "fraction": 0.75])
}

private func hex(_ number: UInt64, _ digits: Int) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
