import EngagementAnalytics
import FuzzDriver
import TestSupport

/// Traps unless events come back from every format as they went in: the fuzzer takes a trap for a finding.
/// The size of the pieces also chooses the compression.
func checkRoundTrip(_ rows: [EventRecord], cutAt size: Int) {
  for file in ExportedFile.all(compressedBy: size) {
    let bytes = file.bytes(of: rows)
    guard let found = file.events(in: bytes, cutAt: size) else {
      fatalError("\(file) cannot be read again")
    }
    if let fault = found.faults.first { fatalError("\(file): \(fault)") }
    let (cells, wanted) = (found.rows.map(\.cells), rows.map(file.readable))
    guard cells == wanted else {
      let pair = zip(cells, wanted).first { $0 != $1 }
      fatalError("\(file): \(cells.count) events of \(wanted.count); \(String(describing: pair))")
    }
  }
}

/// Damages a file at random places. An error, faults or events come out of it, and no trap.
func checkDamage(_ rows: [EventRecord], _ generator: inout SeededGenerator) {
  let file = generator.pick(ExportedFile.all)
  var bytes = file.bytes(of: rows)
  for _ in 0...generator.below(3) where !bytes.isEmpty {
    let place = generator.below(bytes.count)
    switch generator.below(4) {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
    case 1: bytes[place] ^= 1 << UInt8(generator.below(8))
    case 2: bytes.remove(at: place)
    default: bytes.removeLast(bytes.count - place)
    }
  }
  checkForeign(file, bytes, cutAt: 1 + generator.below(9))
}

/// Reads bytes that no encoder may have written. Each event that comes out is written and read again.
func checkForeign(_ file: ExportedFile, _ bytes: [UInt8], cutAt size: Int) {
  guard let found = file.events(in: bytes, cutAt: size), !found.rows.isEmpty else { return }
  checkRoundTrip(Array(found.rows.prefix(20)), cutAt: 4_096 + size)
}

let lines = [
  #"{"specversion":"1.0","id":"1","source":"s","type":"engage.custom","time":"2026-11-01T00:00:00Z","#
    + #""sequence":1,"name":"=1+1","data":{"a":[1,"é"]}}"#,
  "id,source,type,time,sequence,name,data\r\n1,s,t,2026-11-01T00:00:00Z,1,'=1,\"{\"\"a\"\":\n1}\"\r\n",
]
let made = ExportedFile.all.map { file in
  file.bytes(of: MadeEvents(Array("0123456789abcdefABCDEFGHIJ".utf8)[...]).rows)
}

// The first byte chooses where pieces are cut; of the rest are events made, and it is read as a file.
FuzzDriver.run(seeds: (lines.map { Array($0.utf8) } + made).map { [7] + $0 }) { bytes in
  guard let first = bytes.first else { return }
  let rest = bytes.dropFirst()
  let rows = MadeEvents(rest).rows
  checkRoundTrip(rows, cutAt: 1 + Int(first))
  var generator = SeededGenerator(seed: rest.reduce(UInt64(first)) { $0 &* 31 &+ UInt64($1) })
  checkDamage(rows, &generator)
  for file in ExportedFile.all(compressedBy: Int(first)) {
    checkForeign(file, Array(rest), cutAt: 1 + Int(first))
  }
}
