/// The members of a JSON object, in their order. Keys are compared by their bytes.
///
/// A vendor's objects have few members, so reading or setting a key walks the members. Use
/// `init(uniqueMembers:)` to build an object of many members from outside in one walk. Comparing
/// and hashing are linear for objects of any size.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
  /// A key and its value.
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSON

    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }

    public static func == (left: Member, right: Member) -> Bool {
      left.key.hasSameBytes(as: right.key) && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
      key.hashBytes(into: &hasher)
      hasher.combine(value)
    }
  }

  /// The members, in their order.
  public private(set) var members: [Member]

  public init() { members = [] }

  /// Takes members whose keys differ, such as those of a validated document. Does not check it.
  public init(uniqueMembers: [Member]) { members = uniqueMembers }

  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init()
    for (key, value) in elements { self[key] = value }
  }

  /// The object without the members of these names.
  package func without(_ names: [String]) -> JSONObject {
    JSONObject(
      uniqueMembers: members.filter { member in
        !names.contains { $0.hasSameBytes(as: member.key) }
      })
  }

  public var isEmpty: Bool { members.isEmpty }
  public var count: Int { members.count }

  /// The value of the key. Setting replaces in place or appends; setting nil removes.
  public subscript(_ key: String) -> JSON? {
    get { members.first { $0.key.hasSameBytes(as: key) }?.value }
    set {
      let index = members.firstIndex { $0.key.hasSameBytes(as: key) }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key, value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: Hashable {
  /// Two objects are equal if they have the same members in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    // Each value is compared once: comparing twice would double the work at every level of nesting.
    let pairs = zip(left.members, right.members)
    if pairs.allSatisfy({ $0.key.hasSameBytes(as: $1.key) }) {
      return pairs.allSatisfy { $0.value == $1.value }
    }
    guard left.count > walkedCount else {
      return left.members.allSatisfy { right[$0.key] == $0.value }
    }
    let values = Dictionary(
      right.members.map { (MemberKey($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    return left.members.allSatisfy { values[MemberKey($0.key)] == $0.value }
  }

  /// Up to this count, a walk costs less than a dictionary.
  private static let walkedCount = 16

  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var own = Hasher()
      own.combine(member)
      sum &+= own.finalize()
    }
    hasher.combine(sum)
  }
}

/// A key in a set or a dictionary, compared by its bytes.
struct MemberKey: ByteComparable {
  let rawValue: String
}
