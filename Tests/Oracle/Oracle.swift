public import EngagementJSON
public import EngagementModel

/// Holds the JSON reader against jansson, input by input.
///
/// The two differ in one thing only, on purpose: ours goes no deeper than 64 containers, and
/// `Document` refuses what is deeper after jansson has read it.
public struct Oracle: Sendable {
  public typealias Parse = @Sendable ([UInt8]) throws(JSONFault) -> JSON

  /// What an input was, to see afterwards that a search met every kind of it.
  public struct Outcome: Sendable {
    public var isAccepted = false
    public var soundItems = 0
    public var faultyItems = 0
    public var faults: Set<JSONFault.Kind> = []
  }

  private let parse: Parse

  /// Takes the reader of whole documents: ours, unless a test brings one that is broken.
  public init(
    parse: @escaping Parse = { bytes throws(JSONFault) in try JSON(parsing: bytes) }
  ) {
    self.parse = parse
  }

  /// Compares the document, each of its items and what is written from it.
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
    case (.failure(let fault), .tooDeep):
      try Disagreement.unless(fault.kind == .tooDeep, "jansson finds only the depth: \(fault)")
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

/// What the two readers disagree about: a fault of one of them.
public struct Disagreement: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  static func unless(
    _ condition: Bool, _ description: @autoclosure () -> String
  ) throws(Disagreement) {
    guard condition else { throw Disagreement(description()) }
  }
}
