public import EngagementJSON
public import EngagementModel

/// Compares the JSON reader with jansson, input by input.
///
/// They differ on purpose in one point: our reader accepts at most 64 nested containers. jansson
/// accepts more; `Document` refuses these after jansson has read them.
public struct Oracle: Sendable {
  public typealias Parse = @Sendable ([UInt8]) throws(JSONFault) -> JSON

  /// Statistics about an input, so that a test can check that a search covered every kind.
  public struct Outcome: Sendable {
    public var isAccepted = false
    public var soundItems = 0
    public var faultyItems = 0
    public var faults: Set<JSONFault.Kind> = []
  }

  private let parse: Parse

  /// Takes the reader of whole documents: ours by default, or a broken one from a test.
  public init(
    parse: @escaping Parse = { bytes throws(JSONFault) in try JSON(parsing: bytes) }
  ) {
    self.parse = parse
  }

  /// Compares the document, each of its items, and the JSON written from it.
  public func compare(_ bytes: [UInt8]) throws(Disagreement) -> Outcome {
    let parsed = Result { () throws(JSONFault) in try parse(bytes) }
    let walk = Walk(of: bytes)
    try Self.compare(parsed, JanssonVerdict(of: bytes))
    try walk.check(against: parsed)
    for item in walk.items { try ItemCheck(item).run() }
    if let repaired = walk.repaired(bytes) {
      try Disagreement.unless(
        JanssonVerdict(of: repaired).isAccepted, "the rest of a document with faulty items")
    }
    return Outcome(parsed, walk)
  }

  static func compare(
    _ parsed: Result<JSON, JSONFault>, _ verdict: JanssonVerdict
  ) throws(Disagreement) {
    switch (parsed, verdict) {
    case (.success(let ours), .accepted(let theirs)):
      try Disagreement.unless(ours.isIdentical(to: theirs), "the value is another one")
      let written = JanssonVerdict(of: ours.encoded())
      try Disagreement.unless(written.isAccepted(as: theirs), "what was written is another value")
    case (.success, _):
      throw Disagreement("accepted, jansson refuses: \(verdict)")
    case (.failure(let fault), .accepted):
      throw Disagreement("refused, jansson accepts: \(fault)")
    case (.failure(let fault), .tooDeep(let isWhole)):
      try Disagreement.unless(
        fault.kind == .tooDeep || !isWhole && fault.isStructural,
        "jansson finds only the depth: \(fault)")
    case (.failure, .refused): break
    }
  }
}

extension Oracle.Outcome {
  init(_ parsed: Result<JSON, JSONFault>, _ walk: Walk) {
    switch parsed {
    case .success: isAccepted = true
    case .failure(let fault): faults = [fault.kind]
    }
    let itemFaults = walk.items.compactMap(\.fault?.kind)
    faults.formUnion(itemFaults)
    faultyItems = itemFaults.count
    soundItems = walk.items.count - faultyItems
  }
}

/// A disagreement between the two readers, which is a fault of one of them.
public struct Disagreement: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  static func unless(
    _ condition: Bool, _ description: @autoclosure () -> String
  ) throws(Disagreement) {
    guard condition else { throw Disagreement(description()) }
  }
}
