import EngagementCurl
import EngagementDocuments
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Looks at everything that a user could be asked about.
struct DoctorChecks {
  private let invocation: Invocation
  private var context: CommandContext { invocation.context }

  init(_ invocation: Invocation) { self.invocation = invocation }

  func findings() async throws -> [CheckResult] {
    let versions = CheckResult.good("libraries", LibraryVersions.text)
    let configuration: EngageConfiguration
    do throws(EngagementError) {
      configuration = try ConfigurationReader.read(
        invocation.value(.config), vendors: invocation.vendors, in: context)
    } catch {
      let path = ConfigurationReader.path(invocation.value(.config), in: context)
      let next = access(path, F_OK) == 0 ? "put it right in \(path)." : "run \"engage init\"."
      return [.bad("configuration", error.message, next: next), versions]
    }
    if let fault = await fault(in: configuration) {
      return [
        .bad("configuration", fault.message, next: "put it right in \(configuration.file)."),
        versions,
      ]
    }
    var findings = [CheckResult.good("configuration", described(configuration)), versions]
    findings += notice(of: configuration)
    let cache = await cache(of: configuration)
    findings += try await ProviderChecks(invocation: invocation, configuration: configuration)
      .findings()
    findings += configuration.providersWithoutContainer.map { provider in
      .bad(
        "containers", "\(provider): \(MissingContainer.fault)",
        next: MissingContainer.advice(at: provider))
    }
    return findings + cache
      + FileChecks(configuration: configuration, random: context.random).findings()
  }

  /// What the vendors cannot do that the configuration asks for, found without its cache.
  private func fault(in configuration: EngageConfiguration) async -> EngagementError? {
    do throws(EngagementError) {
      let engagement = try await Engagement.open(
        cache: .temporary, device: .engage(id: "doctor"),
        transport: context.transport(configuration.certificateAuthorities),
        providers: configuration.namedAdapters, routes: configuration.routes,
        containers: configuration.containers,
        templates: configuration.templates(shownBy: invocation.presenter),
        contentKeys: configuration.contentKeys,
        options: Engagement.Options(
          secrets: NoSecrets(), loggers: [], clock: context.clock, random: context.random,
          presentations: configuration.presentations(by: invocation.presenter)))
      try? await engagement.close()
      return nil
    } catch {
      return error.code == .invalidConfiguration ? error : nil
    }
  }

  /// What was said of a damaged cache.
  private func notice(of configuration: EngageConfiguration) -> [CheckResult] {
    guard let text = RecoveryNotice(besideCacheAt: configuration.cache).text else { return [] }
    return [
      .note("recovery", text, next: "run \"engage doctor --acknowledge\" when you have read it.")
    ]
  }

  private func described(_ configuration: EngageConfiguration) -> String {
    let names = configuration.providers.map(\.id.rawValue).joined(separator: ", ")
    return "\(configuration.file): \(names)"
  }

  // MARK: The cache

  private func cache(of configuration: EngageConfiguration) async -> [CheckResult] {
    guard CacheFile(configuration.cache).wasMade else {
      return [.note("cache", "there is none yet", next: "run \"engage sync\".")]
    }
    do throws(EngagementError) {
      let (report, bad, migrations) = try await report(on: configuration)
      if let recovery = report.recovery {
        try AutomaticSignIn(besideCacheAt: configuration.cache).turnOff()
        try RecoveryNotice(besideCacheAt: configuration.cache).add(recovery, at: context.clock.now)
      }
      let stored = integrity(of: configuration, report, migrations) + lost(migrations)
      return stored + [conservation(in: report)] + eviction(in: report)
        + missing(in: report, of: configuration) + unreadable(bad)
        + [try await secrets(of: configuration)] + copies(of: configuration)
        + erasure(of: configuration)
    } catch {
      return [
        .bad(
          "cache", "\(configuration.cache): \(error.message)",
          next: Self.advice[error.code] ?? "run \"engage cache repair\"; pending actions are saved."
        )
      ]
    }
  }

  /// Checks the cache without asking any vendor and without the secrets, which are another check.
  /// Returns the user's quarantined items and the migrations that cannot be read, too.
  private func report(
    on configuration: EngageConfiguration
  ) async throws(EngagementError) -> (
    Engagement.CacheReport, [Engagement.QuarantinedItem], [UnreadableMigration]
  ) {
    let engagement = try await Engagement.open(
      cache: .file(configuration.cache), device: .engage(id: "doctor"),
      transport: context.transport(configuration.certificateAuthorities),
      providers: configuration.namedAdapters, routes: configuration.routes,
      containers: configuration.containers, contentKeys: configuration.contentKeys,
      options: Engagement.Options(
        secrets: NoSecrets(), loggers: [], clock: context.clock, random: context.random))
    do throws(EngagementError) {
      let report = try await engagement.checkCache()
      let bad = try await engagement.quarantinedItems()
      let migrations = try await UnreadableMigration.all(of: engagement)
      try? await engagement.close()
      return (report, bad, migrations)
    } catch {
      try? await engagement.close()
      throw error
    }
  }

  private static let advice: [EngagementError.Code: String] = [
    .newerSchema: "use the version of engage that wrote it.",
    .unreadable:
      "make it a file that you can read and write, or run \"engage cache repair\" if it is none.",
    .storage: "make room on its disk; nothing is lost.",
    .busy: "another process holds it; try again when that is done.",
  ]

  private func integrity(
    of configuration: EngageConfiguration, _ report: Engagement.CacheReport,
    _ migrations: [UnreadableMigration]
  ) -> [CheckResult] {
    var findings: [CheckResult] = []
    if let recovery = report.recovery {
      findings.append(
        recovery.path.map { path in
          .note(
            "cache", "it was damaged; \(recovery.savedActions) waiting actions were saved",
            next: "run \"engage sync\"; what was damaged is in \(path).")
        } ?? .note("cache", "it was gone, and another one was begun", next: "run \"engage sync\"."))
    }
    let faults = report.faults.count + report.damagedRows
    guard faults > 0 else {
      let sound = migrations.contains(where: \.isDamaged) ? "page" : "page and row"
      return findings + [.good("cache", "\(configuration.cache): every \(sound) is sound")]
    }
    let first = report.faults.first.map { ": \($0)" } ?? ""
    return findings + [
      .bad(
        "cache", "\(faults == 1 ? "1 fault" : "\(faults) faults")\(first)",
        next: "run \"engage cache repair\"; pending actions are saved.")
    ]
  }

  /// The surfaces whose stored migration cannot be read.
  private func lost(_ migrations: [UnreadableMigration]) -> [CheckResult] {
    migrations.map { .bad("migration", $0.reason, next: $0.next) }
  }

  /// The damaged files that were set aside and are still there.
  private func copies(of configuration: EngageConfiguration) -> [CheckResult] {
    let cache = configuration.cache
    let slash = cache.lastIndex(of: "/")
    let folder = slash.map { String(cache[..<$0]) } ?? "."
    let name = slash.map { String(cache[cache.index(after: $0)...]) } ?? cache
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let copies = all.filter { file in
      file.hasPrefix("\(name).") && (file.contains(".corrupt-") || file.contains(".damaged"))
        && !file.hasSuffix("-wal") && !file.hasSuffix("-shm")
    }.sorted()
    guard !copies.isEmpty else { return [] }
    return [
      .note(
        "set aside", copies.joined(separator: ", "),
        next: "remove these files from \(folder) when you do not need them.")
    ]
  }

  /// An erasure that has begun and not ended, such as one that was interrupted.
  private func erasure(of configuration: EngageConfiguration) -> [CheckResult] {
    guard access("\(configuration.cache).erasing", F_OK) == 0 else { return [] }
    return [
      .bad(
        "erasure", "an erasure of a person has begun and not ended",
        next: "run \"engage person erase USER --yes\" again.")
    ]
  }

  private func conservation(in report: Engagement.CacheReport) -> CheckResult {
    let lines = report.deliveryCounts.sorted { $0.key < $1.key }.map { provider, tally in
      "\(provider): \(tally.accepted) accepted = \(tally.told)"
    }
    let detail = lines.isEmpty ? "nothing was accepted yet" : lines.joined(separator: "; ")
    guard report.deliveryCounts.values.allSatisfy(\.isConserved) else {
      return .bad("conservation", detail, next: "report it with this line: an action was lost.")
    }
    return .good("conservation", detail)
  }

  /// The events that were removed from the log because of its bounds.
  private func eviction(in report: Engagement.CacheReport) -> [CheckResult] {
    let (old, many) = (report.evictedEvents.byAge, report.evictedEvents.bySize)
    guard old > 0 || many > 0 else { return [] }
    return [.good("event log", "evicted: \(old) by age + \(many) by size")]
  }

  /// Providers that have pending actions and are not in the configuration.
  private func missing(
    in report: Engagement.CacheReport, of configuration: EngageConfiguration
  ) -> [CheckResult] {
    let pending = report.deliveryCounts.mapValues { Int(clamping: $0.pending) }
    return configuration.missing(in: pending).sorted { $0.key < $1.key }.map { provider, count in
      .note(
        "outbox", "\(provider): \(count == 1 ? "1 action waits" : "\(count) actions wait")",
        next: "engage.json has no such provider: put it back, or see \"engage outbox\".")
    }
  }

  private func secrets(
    of configuration: EngageConfiguration
  ) async throws(EngagementError) -> CheckResult {
    do throws(EngagementError) {
      let store = try Engagement.FileSecretStore(path: "\(configuration.cache).secrets")
      let owner = Engagement.SecretOwner(
        environment: Engagement.Options().environment, provider: nil, user: nil)
      _ = try await store.secrets(of: owner)
      return .good("secrets", "only you can read them")
    } catch {
      return .bad(
        "secrets", error.message, next: "the file is \(configuration.cache).secrets.")
    }
  }
}

extension Engagement.DeliveryCounts {
  /// What became of the accepted actions, such as `2 pending + 3 delivered`.
  fileprivate var told: String {
    let parts = [
      (pending, "pending"), (delivered, "delivered"), (kept, "kept here"), (rejected, "rejected"),
      (expired, "expired"), (evicted, "evicted"), (wiped, "wiped"),
      (lost, "lost with a damaged cache"),
    ].filter { $0.0 > 0 }
    return parts.isEmpty ? "0" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " + ")
  }
}

/// A store of secrets that has none and keeps none.
struct NoSecrets: Engagement.SecretStore {
  func secrets(of owner: Engagement.SecretOwner) async -> [String: Secret] { [:] }
  func set(_ secrets: [String: Secret?], of owner: Engagement.SecretOwner) async {}
  func removeAll(of user: User, in environment: String) async {}
}

/// The system libraries, as they are at run time.
enum LibraryVersions {
  static var text: String {
    all.members.map { "\($0.key) \($0.value.string ?? "")" }.joined(separator: ", ")
  }

  static var all: JSONObject {
    [
      "sqlite": .string(Engagement.databaseVersion), "curl": .string(CurlLibrary.version),
      "openssl": .string(CurlLibrary.tlsVersion), "jansson": .string(Document.libraryVersion),
    ]
  }
}
