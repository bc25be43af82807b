import EngagementHTTP
import EngagementJSON
import EngagementModel
import Foundation

/// A call as the vendors' own clients make it: a table row of facts, from which neither the adapter
/// nor the emulated server was written.
struct ClientCall: Sendable {
  /// The form of a member or a header.
  indirect enum Form: Sendable {
    case text
    /// A text that may be empty.
    case string
    /// A text that the pattern matches in full.
    case matching(String)
    case exactly(JSON)
    case whole, number, bool
    case any
    /// An object with these members; the others may be left out.
    case object([String: Form], optional: [String: Form] = [:])
    /// An object with these members and any others.
    case needs([String: Form])
    /// An object with any members.
    case members
    /// A list with at least one element, each of the form.
    case list(Form)
    /// A list whose first element has one form, and whose others, at least one and at most so many,
    /// have another.
    case headed(Form, rest: Form, atMost: Int)
    /// An object with at least one member, whose keys match the pattern and whose values have the form.
    case values(keys: String, Form)
    case either([Form])
  }

  var name: String
  var method: String
  /// The path, in which `*` stands for one segment.
  var path: String
  var headers: [String: Form] = [:]
  var optionalHeaders: [String: Form] = [:]
  /// The members of the query; nil if no row says any.
  var query: [String: Form]?
  /// Whether some clients leave the whole query out.
  var isQueryOptional = false
  /// The body; nil for a call without one.
  var body: Form?
  /// What the strictest client needs in a good answer; nil if no client reads it.
  var answer: Form?

  /// Headers that every HTTP client adds by itself.
  private static let ofTransport: Set<String> = [
    "accept", "content-length", "host", "user-agent", "content-type",
  ]

  /// Whether the request is this call, by its method and path.
  func matches(_ request: HTTPRequest) -> Bool {
    guard request.method.rawValue == method,
      let path = URL(string: request.url)?.path(percentEncoded: true)
    else { return false }
    let (own, other) = (self.path.split(separator: "/"), path.split(separator: "/"))
    return own.count == other.count && zip(own, other).allSatisfy { $0 == "*" || $0 == $1 }
  }

  /// What differs from the row; empty if the request is as the clients send it.
  func differences(_ request: HTTPRequest) -> [String] {
    var found: [String] = []
    var fields: [String: String] = [:]
    for field in request.headers.fields {
      let name = field.name.lowercased()
      fields[name] =
        request.headers.secret(field.name)?.revealed ?? request.headers.first(field.name) ?? ""
    }
    for (name, form) in headers where fields[name.lowercased()] == nil {
      found.append("\(self.name): the header \(name) is missing, \(form)")
    }
    let known = headers.merging(optionalHeaders) { $1 }
    for (name, value) in fields {
      if let form = known.first(where: { $0.key.lowercased() == name })?.value {
        found += form.differences(.string(value), at: "\(self.name), header \(name)")
      } else if !Self.ofTransport.contains(name) {
        found.append("\(self.name): no client sends the header \(name)")
      }
    }
    found += queryDifferences(request)
    switch (body, request.body) {
    case (nil, nil): break
    case (nil, let bytes?) where bytes.isEmpty: break
    case (nil, _): found.append("\(name): no client sends a body")
    case (let form?, let bytes):
      guard let json = try? JSON(parsing: bytes ?? []) else {
        return found + ["\(name): the body is no JSON"]
      }
      found += form.differences(json, at: name)
    }
    return found
  }

  private func queryDifferences(_ request: HTTPRequest) -> [String] {
    guard let query else { return [] }
    let items = URLComponents(string: request.url)?.queryItems ?? []
    guard !isQueryOptional || !items.isEmpty else { return [] }
    let members = items.map { JSONObject.Member($0.name, .string($0.value ?? "")) }
    return ClientCall.Form.object(query).differences(
      .object(JSONObject(uniqueMembers: members)), at: "\(name), query")
  }
}

extension ClientCall.Form {
  /// What differs from the form; empty if nothing does.
  func differences(_ json: JSON, at place: String) -> [String] {
    func unless(_ isRight: Bool) -> [String] {
      isRight ? [] : ["\(place): \(json) is not \(self)"]
    }
    switch self {
    case .text: return unless(json.string?.isEmpty == false)
    case .string: return unless(json.string != nil)
    case .matching(let pattern):
      let expression = try? Regex(pattern)
      return unless(expression.flatMap { try? $0.wholeMatch(in: json.string ?? "") } != nil)
    case .exactly(let value): return unless(json == value)
    case .whole: return unless(json.integer != nil)
    case .number: return unless(json.number != nil)
    case .bool: return unless(json.bool != nil)
    case .any: return []
    case .members: return unless(json.object != nil)
    case .object(let required, let optional):
      guard let object = json.object else { return unless(false) }
      let forms = required.merging(optional) { $1 }
      return required.keys.filter { object[$0] == nil }.map { "\(place): \($0) is missing" }
        + object.members.flatMap { member in
          forms[member.key]?.differences(member.value, at: "\(place).\(member.key)")
            ?? ["\(place): no client sends \(member.key)"]
        }
    case .needs(let required):
      guard let object = json.object else { return unless(false) }
      return required.flatMap { key, form in
        object[key].map { form.differences($0, at: "\(place).\(key)") }
          ?? ["\(place): \(key) is missing"]
      }
    case .list(let form):
      guard let elements = json.array, !elements.isEmpty else { return unless(false) }
      return elements.flatMap { form.differences($0, at: "\(place)[]") }
    case .headed(let first, let rest, let limit):
      guard let elements = json.array, (2...limit + 1).contains(elements.count) else {
        return unless(false)
      }
      return first.differences(elements[0], at: "\(place)[0]")
        + elements.dropFirst().flatMap { rest.differences($0, at: "\(place)[]") }
    case .values(let keys, let form):
      guard let object = json.object, !object.isEmpty else { return unless(false) }
      return object.members.flatMap { member in
        ClientCall.Form.matching(keys).differences(.string(member.key), at: "\(place), key")
          + form.differences(member.value, at: "\(place).\(member.key)")
      }
    case .either(let forms):
      return unless(forms.contains { $0.differences(json, at: place).isEmpty })
    }
  }
}

/// Records every request that passes.
final class RecordingTransport: HTTPTransport {
  private let inner: any HTTPTransport
  private let record = Locked<[HTTPRequest]>([])

  init(_ inner: any HTTPTransport) { self.inner = inner }

  var requests: [HTTPRequest] { record.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    record.withLock { $0.append(request) }
    return try await inner.send(request)
  }
}
