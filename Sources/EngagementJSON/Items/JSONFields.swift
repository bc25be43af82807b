public import EngagementModel

/// The members of one object, found by key and read only when asked for.
///
/// It is how an adapter maps an item: nothing is built that is not used. Each accessor gives nil
/// where the member is absent and where it is another kind of value.
///
/// An object of 4 GB or more is refused as `tooLarge`.
public struct JSONFields: Sendable {
  private let bytes: ArraySlice<UInt8>
  private let index: MemberIndex

  /// Takes an item that is sound, without checking it again.
  ///
  /// Throws the item's fault, or `notAnObject`.
  public init(_ item: RawItem) throws(JSONFault) {
    if let fault = item.fault { throw fault }
    try self.init(sound: item.bytes)
  }

  /// Takes an object that stands alone, and checks it.
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
  /// What the member's value is.
  public func kind(of key: JSONKey) -> JSONKind? {
    guard let value = value(of: key) else { return nil }
    return JSONKind(first: first(of: value))
  }

  /// The member, a string.
  public func string(_ key: JSONKey) -> String? {
    guard let value = value(of: key), first(of: value) == UInt8(ascii: "\"") else { return nil }
    let text = Text(
      start: value.start + 1, end: max(value.end - 1, value.start + 1), isEscaped: value.isEscaped)
    return Unescaped.string(bytes, text)
  }

  /// The member, an integer, also where it was written as `3.0`.
  public func integer(_ key: JSONKey) -> Int64? {
    guard let range = number(at: key) else { return nil }
    return Number.whole(bytes.span.bytes, range)
  }

  /// The member, a number, whole or not.
  public func number(_ key: JSONKey) -> Double? {
    guard let range = number(at: key) else { return nil }
    return Number.real(bytes.span.bytes, range)
  }

  /// The member, a truth value.
  public func bool(_ key: JSONKey) -> Bool? {
    guard let value = value(of: key) else { return nil }
    return bool(at: value)
  }

  /// The member, a truth value or one of the numbers 0 and 1: vendors send both.
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

  /// The member, whatever it is.
  public func json(_ key: JSONKey) -> JSON? {
    guard let value = value(of: key) else { return nil }
    return Sound.json(bytes, value.start)
  }

  /// The member's own bytes, not copied.
  public func raw(_ key: JSONKey) -> ArraySlice<UInt8>? {
    guard let value = value(of: key) else { return nil }
    return bytes.at(value.range)
  }

  /// The member, an object.
  public func fields(_ key: JSONKey) -> JSONFields? {
    guard let value = value(of: key), first(of: value) == UInt8(ascii: "{") else { return nil }
    return try? JSONFields(sound: bytes.at(value.range))
  }

  /// The objects of the member, an array; other elements are left out.
  public func objects(_ key: JSONKey) -> [JSONFields]? {
    guard let ranges = elements(of: key, that: UInt8(ascii: "{")) else { return nil }
    return ranges.compactMap { try? JSONFields(sound: bytes.at($0)) }
  }

  /// The strings of the member, an array; other elements are left out.
  public func strings(_ key: JSONKey) -> [String]? {
    guard let ranges = elements(of: key, that: UInt8(ascii: "\"")) else { return nil }
    return ranges.map { Unescaped.string(bytes, Sound.text(bytes.span.bytes, $0.lowerBound + 1)) }
  }
}

// MARK: All members

extension JSONFields {
  /// A member's key and the value's own bytes.
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

  /// The places of those elements of the member, an array, that begin with the byte.
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
