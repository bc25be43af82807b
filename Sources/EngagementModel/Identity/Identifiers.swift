/// The vendor whose protocol an adapter speaks, such as `braze`.
public struct Vendor: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The application's name for a provider. Two providers may use the same vendor.
public struct ProviderID: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The name of a place that shows cards, in the application or at a vendor.
public struct ContainerID: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The id of an event: a UUID of version 7. It stays the same in every attempt.
public struct EventID: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The id of a session of use. A session lasts from the first scene to the time-out after the last.
public struct SessionID: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// An item's id together with the provider that owns it. The item `42` of one provider is not the
/// item `42` of another.
public struct ItemID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The provider that owns the item. Every action on the item goes to it.
  public var provider: ProviderID
  /// The vendor's own id, byte for byte.
  public var value: String

  public init(_ provider: ProviderID, _ value: String) {
    self.provider = provider
    self.value = value
  }

  /// `provider/id`, as the command line prints and accepts it.
  public var description: String { "\(provider.rawValue)/\(value)" }

  @inlinable public static func == (left: ItemID, right: ItemID) -> Bool {
    left.value.hasSameBytes(as: right.value) && left.provider == right.provider
  }

  public static func < (left: ItemID, right: ItemID) -> Bool {
    left.provider == right.provider
      ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8) : left.provider < right.provider
  }

  public func hash(into hasher: inout Hasher) {
    provider.hash(into: &hasher)
    value.hashBytes(into: &hasher)
  }
}
