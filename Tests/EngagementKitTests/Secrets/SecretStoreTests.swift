import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// The library's stores. All follow the same rules.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case memory, file

  var testDescription: String { rawValue }

  func store(in folder: SecretFolder) throws -> any Engagement.SecretStore {
    switch self {
    case .memory: MemorySecretStore()
    case .file: try folder.store()
    }
  }
}

private func owner(
  _ user: User? = nil, of provider: ProviderID? = "braze", in environment: String = "production"
) -> Engagement.SecretOwner {
  Engagement.SecretOwner(environment: environment, provider: provider, user: user)
}

private let owners = [
  owner(), owner(.anonymous), owner("u-1"), owner("u-2"), owner(""), owner("caf\u{e9}"),
  owner("cafe\u{301}"), owner("u-1", of: nil), owner("u-1", of: "vibes"),
  owner("u-1", in: "staging"), owner("u-1", in: "caf\u{e9}"), owner("u-1", in: "cafe\u{301}"),
]

@Suite struct SecretStoreTests {
  // The suite holds the folder, so that it outlives the store.
  private let folder: SecretFolder

  init() throws { folder = try SecretFolder() }

  @Test("an owner without stored secrets has none", arguments: StoreKind.allCases)
  func nothing(kind: StoreKind) async throws {
    #expect(try await kind.store(in: folder).secrets(of: owner()).isEmpty)
  }

  @Test(
    "each owner has separate secrets, and owners compare by bytes", arguments: StoreKind.allCases)
  func owned(kind: StoreKind) async throws {
    let store = try kind.store(in: folder)
    for (index, owner) in owners.enumerated() {
      try await store.set(["token": Secret("t\(index)")], of: owner)
    }
    for (index, owner) in owners.enumerated() {
      #expect(try await store.secrets(of: owner) == ["token": Secret("t\(index)")], "\(index)")
    }
    let other = owner("u-3")
    let found = try await store.secrets(of: owners + [other, owner()])
    #expect(found.count == owners.count + 1)
    #expect(found[other] == [:])
    for (index, owner) in owners.enumerated() {
      #expect(found[owner] == ["token": Secret("t\(index)")], "\(index)")
    }
  }

  @Test("one call replaces, adds and removes secrets together", arguments: StoreKind.allCases)
  func setting(kind: StoreKind) async throws {
    let store = try kind.store(in: folder)
    try await store.set(["a": Secret("1"), "b": Secret("2")], of: owner())
    try await store.set(["a": Secret("3"), "b": nil, "c": Secret("")], of: owner())
    #expect(try await store.secrets(of: owner()) == ["a": Secret("3"), "c": Secret("")])
    try await store.set(["a": nil, "c": nil, "d": nil], of: owner())
    #expect(try await store.secrets(of: owner()).isEmpty)
  }

  @Test(
    "G14: removing a user deletes that user's secrets at all providers of one environment only",
    arguments: StoreKind.allCases)
  func removal(kind: StoreKind) async throws {
    let store = try kind.store(in: folder)
    for owner in owners { try await store.set(["token": Secret("t")], of: owner) }
    try await store.removeAll(of: "u-1", in: "production")
    for owner in owners {
      let isGone = owner.user == "u-1" && owner.environment == "production"
      #expect(try await store.secrets(of: owner).isEmpty == isGone)
    }
    try await store.removeAll(of: .anonymous, in: "production")
    #expect(try await store.secrets(of: owner(.anonymous)).isEmpty)
    #expect(try await !store.secrets(of: owner()).isEmpty)
  }

  @Test(
    "a NUL byte or a canonically equal key is refused and changes nothing",
    arguments: StoreKind.allCases,
    [
      (owner(), ["a\0b": Secret("x")]), (owner(), ["a": Secret("x\0")]),
      (owner("u\0"), ["a": Secret("x")]), (owner(of: "p\0"), ["a": Secret("x")]),
      (owner(in: "e\0"), ["a": Secret("x")]), (owner(), ["cafe\u{301}": Secret("x")]),
    ])
  func refusal(kind: StoreKind, change: (Engagement.SecretOwner, [String: Secret])) async throws {
    let store = try kind.store(in: folder)
    try await store.set(["caf\u{e9}": Secret("1")], of: owner())
    await #expect(throws: EngagementError.self) {
      try await store.set(change.1.merging(["z": Secret("2")]) { first, _ in first }, of: change.0)
    }
    #expect(try await store.secrets(of: owner()) == ["caf\u{e9}": Secret("1")])
  }

  @Test("concurrent callers lose no secret", arguments: StoreKind.allCases)
  func concurrent(kind: StoreKind) async throws {
    let store = try kind.store(in: folder)
    await withTaskGroup { group in
      for index in 0..<50 {
        group.addTask {
          await #expect(throws: Never.self) {
            try await store.set(["t\(index)": Secret("\(index)")], of: owner())
          }
        }
      }
    }
    #expect(try await store.secrets(of: owner()).count == 50)
  }
}
