/// The vendor whose protocol an adapter speaks, such as `braze`.
public struct Vendor: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// The name an application gives a provider; two providers may be of one vendor.
public struct ProviderID: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// The name of a place that shows cards, as the application or as a vendor knows it.
public struct ContainerID: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// The id of an event: a UUID of version 7, made once and kept over every attempt.
public struct EventID: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// A session of use, from the first scene to the time-out after the last.
public struct SessionID: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }
}

/// An item's id together with the provider that owns it. What one provider calls `42` is not
/// what another calls `42`.
public struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The provider that owns the item; every action on the item goes there.
  public var provider: ProviderID
  /// The vendor's own id, byte for byte.
  public var value: String

  public init(_ provider: ProviderID, _ value: String) {
    self.provider = provider
    self.value = value
  }

  /// `provider/id`, as the command line prints and accepts it.
  public var description: String { "\(provider.text)/\(value)" }

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
