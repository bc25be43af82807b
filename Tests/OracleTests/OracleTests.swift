import EngagementJSON
import EngagementModel
import Foundation
import JSONOracle
import TestSupport
import Testing

@Suite("The JSON reader compared with jansson")
struct OracleTests {
  /// How many inputs the search tries; `ORACLE_INPUTS`.
  static let inputs = setting("ORACLE_INPUTS") ?? Effort.share(of: 50_000)
  /// Where it begins; `ORACLE_SEED`.
  static let seed = UInt64(setting("ORACLE_SEED") ?? 1)

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test("the reader and jansson agree on every document of the corpus", arguments: Corpus.samples)
  func corpus(_ sample: Corpus.Sample) throws {
    #expect(try Oracle().compare(sample.bytes).isAccepted)
  }

  @Test("the reader and jansson agree on every corrupted document and its items")
  func search() async {
    let parts = 4
    let seen = await withTaskGroup(of: Search.self, returning: Search.self) { group in
      for part in 0..<parts {
        group.addTask { Search(seed: Self.seed &+ UInt64(part), inputs: Self.inputs / parts) }
      }
      return await group.reduce(into: Search()) { $0.add($1) }
    }
    for disagreement in seen.disagreements { Issue.record("\(disagreement)") }
    guard Self.inputs >= 10_000 else { return }
    #expect(seen.accepted > Self.inputs / 10, "too few sound documents")
    #expect(seen.soundItems > Self.inputs / 10, "too few sound items")
    #expect(seen.faultyItems > Self.inputs / 20, "too few faulty items")
    guard Self.inputs >= 50_000 else { return }
    #expect(seen.faults == Search.everyFault)
  }

  struct BrokenReader: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let parse: Oracle.Parse
  }

  static let brokenReaders = [
    BrokenReader(testDescription: "lets line breaks stand in strings") { bytes throws(JSONFault) in
      try JSON(parsing: bytes.filter { $0 != UInt8(ascii: "\n") })
    },
    BrokenReader(testDescription: "takes cut documents for whole ones") { bytes throws(JSONFault) in
      var cursor = JSONCursor(bytes)
      return try cursor.json()
    },
    BrokenReader(testDescription: "turns lists around") { bytes throws(JSONFault) in
      let value = try JSON(parsing: bytes)
      guard let elements = value.array else { return value }
      return .array(elements.reversed())
    },
    BrokenReader(testDescription: "is off by one bit in its numbers") { bytes throws(JSONFault) in
      let value = try JSON(parsing: bytes)
      guard case .number(let number) = value else { return value }
      return .number(number.nextUp)
    },
  ]

  @Test("the comparison catches a reader that is broken on purpose", arguments: brokenReaders)
  func broken(_ reader: BrokenReader) {
    let search = Search(Oracle(parse: reader.parse), seed: 7, inputs: 2_000)
    #expect(!search.disagreements.isEmpty)
  }
}

/// Compares so many spoiled documents and counts what they were.
struct Search: Sendable {
  private(set) var accepted = 0
  private(set) var soundItems = 0
  private(set) var faultyItems = 0
  private(set) var faults: Set<JSONFault.Kind> = []
  private(set) var disagreements: [String] = []

  /// Every fault that bytes can have; the others are mistakes of the cursor's caller.
  static let everyFault = Set(JSONFault.Kind.allCases)
    .subtracting([.noValue, .notAnObject, .tooLarge])

  init() {}

  /// Ends early once it has found a few disagreements.
  init(_ oracle: Oracle = Oracle(), seed: UInt64, inputs: Int) {
    var mutator = Mutator(seed: seed)
    for number in 0..<inputs where disagreements.count < 5 {
      let bytes = mutator.next()
      do throws(Disagreement) {
        add(try oracle.compare(bytes))
      } catch {
        let smallest = Oracle.printable(oracle.smallest(bytes))
        disagreements.append("seed \(seed), input \(number): \(error): '\(smallest)'")
      }
    }
  }

  private mutating func add(_ outcome: Oracle.Outcome) {
    accepted += outcome.isAccepted ? 1 : 0
    soundItems += outcome.soundItems
    faultyItems += outcome.faultyItems
    faults.formUnion(outcome.faults)
  }

  mutating func add(_ other: Search) {
    accepted += other.accepted
    soundItems += other.soundItems
    faultyItems += other.faultyItems
    faults.formUnion(other.faults)
    disagreements += other.disagreements
  }
}
