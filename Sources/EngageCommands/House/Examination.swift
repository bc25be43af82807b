import EngagementCurl
import EngagementDocuments
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementStore

/// Looks at everything that a user could be asked about.
struct Examination {
  private let invocation: Invocation
  private var surroundings: Surroundings { invocation.surroundings }

  init(_ invocation: Invocation) { self.invocation = invocation }

  func findings() async throws -> [Finding] {
    let versions = Finding.good("libraries", LibraryVersions.text)
    let configuration: EngageConfiguration
    do throws(EngagementError) {
      configuration = try ConfigurationReader.read(invocation.value(.config), in: surroundings)
    } catch {
      let path = ConfigurationReader.path(invocation.value(.config), in: surroundings)
      let next = CacheFile(path).exists ? "put it right in \(path)." : "run \"engage init\"."
      return [.bad("configuration", error.message, next: next), versions]
    }
    var findings = [Finding.good("configuration", described(configuration)), versions]
    findings += try await reachability(of: configuration)
    findings += await cache(of: configuration)
    return findings
  }

  private func described(_ configuration: EngageConfiguration) -> String {
    let names = configuration.providers.map(\.id.text).joined(separator: ", ")
    return "\(configuration.file): \(names)"
  }

  // MARK: Vendors

  /// Any answer shows that the vendor is reached, a refusal too.
  private func reachability(of configuration: EngageConfiguration) async throws -> [Finding] {
    let transport = surroundings.transport(configuration.certificateAuthorities)
    return try await withThrowingTaskGroup(of: (Int, Finding).self) { group in
      for (index, provider) in configuration.providers.enumerated() {
        group.addTask { (index, try await reach(provider, by: transport)) }
      }
      var findings: [(Int, Finding)] = []
      for try await finding in group { findings.append(finding) }
      return findings.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private func reach(
    _ provider: ConfiguredProvider, by transport: any HTTPTransport
  ) async throws -> Finding {
    let subject = "provider \(provider.id)"
    do throws(EngagementError) {
      let response = try await transport.send(HTTPRequest(.get, provider.endpoint))
      return .good(subject, "\(provider.endpoint) answers (status \(response.status))")
    } catch {
      try Task.checkCancellation()
      let cause = error.underlying.map { " (\($0))" } ?? ""
      // Plain http is only for this machine, where nothing but the emulator is expected.
      let emulator = provider.endpoint.hasPrefix("http:") ? " Or run \"engage emulate\"." : ""
      return .bad(
        subject, "\(provider.endpoint) does not answer\(cause)", next: error.message + emulator)
    }
  }

  // MARK: The cache

  private func cache(of configuration: EngageConfiguration) async -> [Finding] {
    guard CacheFile(configuration.cache).exists else {
      return [.note("cache", "there is none yet", next: "run \"engage sync\".")]
    }
    do throws(EngagementError) {
      let adapters = Dictionary(
        configuration.providers.map { ($0.id, $0.adapter) }, uniquingKeysWith: { first, _ in first }
      )
      let store = try await Store.open(
        Store.Options(path: configuration.cache, adapters: adapters), at: surroundings.clock.now)
      let health = try await store.check()
      let recovery = store.recovery
      // Where a reader holds the log up, nothing is lost.
      try? await store.suspend()
      return integrity(of: configuration, health, recovery) + [conservation(in: health)]
        + [try await secrets(of: configuration)]
    } catch {
      return [
        .bad(
          "cache", "\(configuration.cache): \(error.message)",
          next: Self.advice[error.code] ?? "move it away; the next sync makes a new one.")
      ]
    }
  }

  private static let advice: [EngagementError.Code: String] = [
    .newerSchema: "use the version of engage that wrote it.",
    .unreadable: "make it readable and writable for you.",
    .busy: "another process holds it; try again when that is done.",
  ]

  private func integrity(
    of configuration: EngageConfiguration, _ health: Health, _ recovery: Recovery?
  ) -> [Finding] {
    var findings: [Finding] = []
    if let recovery {
      findings.append(
        .note(
          "cache", "it was damaged; \(recovery.savedRows) waiting actions were saved",
          next: "run \"engage sync\"; what was damaged is in \(recovery.setAside)."))
    }
    let faults = health.faults.count + health.damagedRows
    guard faults > 0 else {
      return findings + [.good("cache", "\(configuration.cache): every page and row is sound")]
    }
    let first = health.faults.first.map { ": \($0)" } ?? ""
    return findings + [
      .bad(
        "cache", "\(faults) faults\(first)",
        next: "run \"engage sync\"; what is damaged is set aside and fetched anew.")
    ]
  }

  private func conservation(in health: Health) -> Finding {
    let lines = health.tallies.sorted { $0.key < $1.key }.map { provider, tally in
      "\(provider): \(tally.accepted) = \(tally.pending) + \(tally.delivered) + "
        + "\(tally.rejected) + \(tally.expired) + \(tally.evicted) + \(tally.wiped)"
    }
    let detail = lines.isEmpty ? "nothing was accepted yet" : lines.joined(separator: "; ")
    guard health.tallies.values.allSatisfy(\.isConserved) else {
      return .bad("conservation", detail, next: "report it with this line: an action was lost.")
    }
    return .good("conservation", detail)
  }

  private func secrets(
    of configuration: EngageConfiguration
  ) async throws(EngagementError) -> Finding {
    do throws(EngagementError) {
      let store = try FileSecretStore(path: "\(configuration.cache).secrets")
      let owner = SecretOwner(environment: Options().environment, provider: nil, user: nil)
      _ = try await store.secrets(of: owner)
      return .good("secrets", "only you can read them")
    } catch {
      return .bad(
        "secrets", error.message, next: "run chmod 600 on \(configuration.cache).secrets.")
    }
  }
}

/// The system libraries, as they are at run time.
enum LibraryVersions {
  static var text: String {
    all.members.map { "\($0.key) \($0.value.string ?? "")" }.joined(separator: ", ")
  }

  static var all: JSONObject {
    [
      "sqlite": .string(StoreLibrary.version), "curl": .string(CurlLibrary.version),
      "openssl": .string(CurlLibrary.tlsVersion), "jansson": .string(Document.libraryVersion),
    ]
  }
}
