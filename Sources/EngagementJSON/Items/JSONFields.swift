public import EngagementModel

/// The members of one object, found by key and read only on request.
///
/// Adapters map items with it; it builds no value that is not read. Each accessor returns nil if
/// the member is absent or of another kind.
///
/// Throws `tooLarge` for an object of 4 GB or more.
public struct JSONFields: Sendable {
  private let bytes: ArraySlice<UInt8>
  private let index: MemberIndex

  /// Takes a sound item, without checking it again.
  ///
  /// Throws the item's fault, or `notAnObject`.
  public init(_ item: RawItem) throws(JSONFault) {
    if let fault = item.fault { throw fault }
    try self.init(sound: item.bytes)
  }

  /// Checks bytes that are one object.
  public init(_ bytes: ArraySlice<UInt8>) throws(JSONFault) {
    var cursor = JSONCursor(bytes)
    let object = try cursor.only { cursor throws(JSONFault) in try cursor.raw() }
    guard object.first == UInt8(ascii: "{") else {
      throw JSONFault(.notAnObject, at: object.startIndex - bytes.startIndex)
    }
    try self.init(sound: object)
  }

  init(sound bytes: ArraySlice<UInt8>) throws(JSONFault) {
    self.bytes = bytes
    index = try MemberIndex(bytes.span.bytes)
  }
}

// MARK: One member

extension JSONFields {
  /// The kind of the member's value.
  public func kind(of key: JSONKey) -> JSONKind? {
    guard let value = value(of: key) else { return nil }
    return JSONKind(first: first(of: value))
  }

  /// The member as a string.
  public func string(_ key: JSONKey) -> String? {
    guard let value = value(of: key), first(of: value) == UInt8(ascii: "\"") else { return nil }
    let text = Text(
      start: value.start + 1, end: max(value.end - 1, value.start + 1), isEscaped: value.isEscaped)
    return Unescaped.string(bytes, text)
  }

  /// The member as an integer, also if it is written as `3.0`.
  public func integer(_ key: JSONKey) -> Int64? {
    guard let range = number(at: key) else { return nil }
    return Number.whole(bytes.span.bytes, range)
  }

  /// The member as a number, whole or not.
  public func number(_ key: JSONKey) -> Double? {
    guard let range = number(at: key) else { return nil }
    return Number.real(bytes.span.bytes, range)
  }

  /// The member as a Boolean.
  public func bool(_ key: JSONKey) -> Bool? {
    guard let value = value(of: key) else { return nil }
    return bool(at: value)
  }

  /// The member as a Boolean; also accepts the numbers 0 and 1, because vendors send both.
  public func flag(_ key: JSONKey) -> Bool? {
    guard let value = value(of: key) else { return nil }
    if let bool = bool(at: value) { return bool }
    guard JSONKind(first: first(of: value)) == .number else { return nil }
    switch Number.whole(bytes.span.bytes, value.range) {
    case 0: return false
    case 1: return true
    default: return nil
    }
  }

  /// The member as a JSON value of any kind.
  public func json(_ key: JSONKey) -> JSON? {
    guard let value = value(of: key) else { return nil }
    return Sound.json(bytes, value.start)
  }

  /// The member's own bytes, not copied.
  public func raw(_ key: JSONKey) -> ArraySlice<UInt8>? {
    guard let value = value(of: key) else { return nil }
    return bytes.at(value.range)
  }

  /// The member as an object.
  public func fields(_ key: JSONKey) -> JSONFields? {
    guard let value = value(of: key), first(of: value) == UInt8(ascii: "{") else { return nil }
    return try? JSONFields(sound: bytes.at(value.range))
  }

  /// The objects in the member's array, without elements of other kinds.
  public func objects(_ key: JSONKey) -> [JSONFields]? {
    guard let ranges = elements(of: key, that: UInt8(ascii: "{")) else { return nil }
    return ranges.compactMap { try? JSONFields(sound: bytes.at($0)) }
  }

  /// The strings in the member's array, without elements of other kinds.
  public func strings(_ key: JSONKey) -> [String]? {
    guard let ranges = elements(of: key, that: UInt8(ascii: "\"")) else { return nil }
    return ranges.map { Unescaped.string(bytes, Sound.text(bytes.span.bytes, $0.lowerBound + 1)) }
  }
}

// MARK: All members

extension JSONFields {
  /// A member's key and the bytes of its value.
  public struct Member: Hashable, Sendable {
    public let key: String
    public let value: ArraySlice<UInt8>
  }

  /// The number of members.
  public var count: Int { index.count }

  /// The keys, in their order.
  public var keys: [String] {
    index.members(bytes.span.bytes).map { Unescaped.string(bytes, $0.key) }
  }

  /// The members, in their order.
  public var members: [Member] {
    index.members(bytes.span.bytes).map { key, value in
      Member(key: Unescaped.string(bytes, key), value: bytes.at(value.range))
    }
  }

  /// The whole object.
  public var json: JSON { Sound.json(bytes, 0) }
}

// MARK: Finding

extension JSONFields {
  private func value(of key: JSONKey) -> MemberValue? { index.value(of: key, in: bytes) }

  private func first(of value: MemberValue) -> UInt8 { bytes.span.bytes.byte(value.start) }

  private func bool(at value: MemberValue) -> Bool? {
    switch first(of: value) {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  private func number(at key: JSONKey) -> Range<Int>? {
    guard let value = value(of: key), JSONKind(first: first(of: value)) == .number else {
      return nil
    }
    return value.range
  }

  /// The ranges of the elements in the member's array that begin with the byte.
  private func elements(of key: JSONKey, that begin: UInt8) -> [Range<Int>]? {
    guard let value = value(of: key), first(of: value) == UInt8(ascii: "[") else { return nil }
    let span = bytes.span.bytes
    var elements: [Range<Int>] = []
    var offset = Sound.space(span, value.start + 1)
    while offset < value.end, span.byte(offset) != UInt8(ascii: "]") {
      let end = max(Sound.end(span, offset), offset + 1)
      if span.byte(offset) == begin { elements.append(offset..<end) }
      offset = Sound.space(span, end)
      if span.byte(offset) == UInt8(ascii: ",") { offset = Sound.space(span, offset + 1) }
    }
    return elements
  }
}
