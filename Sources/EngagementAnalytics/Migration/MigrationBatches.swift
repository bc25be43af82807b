public import EngagementModel

/// The bodies of the requests by which a team's server moves people to a vendor.
public struct MigrationBatches: Sendable {
  /// In the order in which they are sent: suppression first.
  public internal(set) var bodies: [Body] = []
  public internal(set) var refusals: [Refusal] = []
  /// The fields that the vendor takes from no server, with the number of people who have them.
  public internal(set) var lacking: [String: Int] = [:]
  /// The people whom no vendor may reach, by reason.
  public internal(set) var suppressed: [MovingPerson.Suppression: Int] = [:]
  /// The people who are not suppressed.
  public internal(set) var moving = 0
  /// The people among them of whom an id is known and no field.
  public internal(set) var withoutFields = 0

  /// What one request does. Requests of a part are sent after all of the part before it.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// Whom the vendor may not reach, and who wants no notifications.
    case suppressed
    case people
    case tokens
  }

  /// The body of one request; for a call that takes one person, one body a line.
  public struct Body: Hashable, Sendable {
    public var part: Part
    /// From 1, in its part.
    public var number: Int
    /// The method and the path; nil where the vendor has no call.
    public var call: String?
    public var objects: Int
    public var bytes: [UInt8]
    var ending: String

    /// Names sort in the order in which requests are sent.
    public var name: String {
      let place = (Part.allCases.firstIndex(of: part) ?? 0) + 1
      let digits = String(number)
      let zeros = String(repeating: "0", count: max(5 - digits.count, 0))
      return "\(place)-\(part.rawValue)-\(zeros)\(digits).\(ending)"
    }
  }

  /// What the vendor would not take.
  public struct Refusal: Hashable, Sendable {
    /// The person's place among all, from 1.
    public var person: Int
    public var id: UserID?
    /// Nil for the person as a whole.
    public var field: String?
    public var reason: String
  }

  public func objects(of part: Part) -> Int {
    bodies.reduce(0) { $0 + ($1.part == part ? $1.objects : 0) }
  }
}

/// Why a vendor would not take a field, or a person as a whole.
struct MigrationFault: Error {
  var field: String?
  var reason: String

  init(_ reason: String, in field: String? = nil) { (self.field, self.reason) = (field, reason) }
}

/// What a call takes at most, and what stands around and between its objects.
struct MigrationCall {
  var call: String?
  var mostObjects: Int
  var mostBytes = Self.bound
  var head: String
  var separator = ","
  var tail: String
  var ending = "json"

  /// Braze refuses bodies of more than 4 MB. The others document no bound, and get the same one.
  static let bound = 4_000_000

  /// One body a line, for a call that takes one person.
  static func lines(_ call: String?) -> MigrationCall {
    MigrationCall(
      call: call, mostObjects: 1_000, head: "", separator: "\n", tail: "\n", ending: "ndjson")
  }

  /// Divides objects into bodies.
  func bodies(
    of objects: [[UInt8]], for part: MigrationBatches.Part
  ) -> [MigrationBatches.Body] {
    var bodies: [MigrationBatches.Body] = []
    var (bytes, count) = ([UInt8](), 0)
    func end() {
      guard count > 0 else { return }
      bodies.append(
        .init(
          part: part, number: bodies.count + 1, call: call, objects: count,
          bytes: Array(head.utf8) + bytes + Array(tail.utf8), ending: ending))
      (bytes, count) = ([], 0)
    }
    for object in objects {
      if count == mostObjects || !fits(bytes.count + separator.utf8.count + object.count) { end() }
      if count > 0 { bytes += Array(separator.utf8) }
      bytes += object
      count += 1
    }
    end()
    return bodies
  }

  /// Whether objects of so many bytes fit into one body.
  func fits(_ count: Int) -> Bool { head.utf8.count + count + tail.utf8.count <= mostBytes }
}
