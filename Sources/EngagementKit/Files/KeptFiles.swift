import EngagementFiles
import EngagementHTTP
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The files that campaigns name, and images that the application asks for. Both are kept in one folder
/// beside the cache.
struct KeptFiles: Sendable {
  private let campaigns: FileCache
  private let images: FileCache
  private let imageCount = Locked(0)
  private let store: Store
  private let clock: any EngagementClock
  private let log: Log
  /// When the fetch of an address last failed in this process.
  private let failures = Locked<[String: Date]>([:])
  /// Whether this process has looked for old files.
  private let hasCleaned = Locked(false)

  /// A file that a campaign names.
  struct Source: Hashable, Sendable {
    var url: String
    var campaign: ItemID
  }

  init(
    _ dependencies: KitDependencies, _ options: Options, at location: CacheLocation
  ) throws(EngagementError) {
    // Also for an application that allows no host any more: an erasure takes what is there.
    func cache(_ hosts: [String]) throws(EngagementError) -> FileCache {
      try FileCache(
        folder: "\(location.path).files", hosts: AllowedHosts(named: hosts),
        transport: dependencies.transport, now: { [clock = dependencies.clock] in clock.now })
    }
    campaigns = try cache(options.presentations.fileHosts)
    images = try cache(options.imageHosts)
    store = dependencies.store
    clock = dependencies.clock
    log = dependencies.log
  }

  // MARK: Campaigns

  /// What a campaign has for the file arguments of its template.
  static func sources(in campaign: Campaign, for template: Template) -> [Source] {
    template.arguments.filter { $0.type == .file }.compactMap {
      campaign.arguments[$0.name]?.string.map { Source(url: $0, campaign: campaign.id) }
    }
  }

  /// Fetches the files of a campaign that is due; false if any could not be had.
  func fetch(_ sources: [Source], for owner: Partition) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      for source in sources { group.addTask { await fetch(source, for: owner) } }
      return await group.reduce(true) { $0 && $1 }
    }
  }

  /// Fetches the files of campaigns that may become due, if they are not there yet. Old files are removed
  /// after that, and once in each process.
  ///
  /// A file that could not be had is asked for again only later.
  func prefetch(_ sources: [Source], for owner: Partition) async {
    let new = sources.filter { source in
      path(of: source.url, for: owner) == nil && !hasJustFailed(source.url)
    }
    if !new.isEmpty { _ = await fetch(new, for: owner) }
    guard !Task.isCancelled else { return }
    let isFirst = hasCleaned.withLock { hasCleaned in
      defer { hasCleaned = true }
      return !hasCleaned
    }
    if isFirst || !new.isEmpty { await clean() }
  }

  private func fetch(_ source: Source, for owner: Partition) async -> Bool {
    do throws(EngagementError) {
      _ = try await campaigns.fetch(source.url, for: Self.name(of: owner)) { await isHeld(owner) }
      failures.withLock { $0[source.url] = nil }
      return true
    } catch {
      if error.code != .cancelled { note(error, of: source) }
      return false
    }
  }

  /// Whether the cache still knows the owner: false after an erasure, by any process.
  private func isHeld(_ owner: Partition) async -> Bool {
    (try? await store.knownPartition(of: owner.user)) == owner
  }

  // MARK: Failures

  private static let pause: TimeInterval = 600

  private func hasJustFailed(_ url: String) -> Bool {
    failures.withLock { failures in
      failures[url].map { abs(clock.now.timeIntervalSince($0)) < Self.pause } ?? false
    }
  }

  /// Tells a failure once. The address is left out: it may name a person.
  private func note(_ error: EngagementError, of source: Source) {
    let isNew = failures.withLock { $0.updateValue(clock.now, forKey: source.url) } == nil
    guard isNew else { return }
    let host = (try? HTTPURL(source.url))?.host.text
    let place = host.map { " on \($0)" } ?? ""
    log(
      .warning,
      "A file\(place) of the campaign \(source.campaign.value) could not be fetched. \(error.message)",
      source.campaign.provider)
  }

  private func clean() async {
    do throws(EngagementError) {
      let report = try await campaigns.clean()
      guard report.expired + report.evicted > 0 else { return }
      log(
        .info,
        "Of the kept files, \(report.expired) were old and \(report.evicted) too many.")
    } catch {
      log(.warning, "Old files could not be removed: \(error.code)")
    }
  }

  /// The path of a file that is there; nil for any other.
  func path(of url: String, for owner: Partition) -> String? {
    campaigns.path(of: url, for: Self.name(of: owner))
  }

  // MARK: Images

  /// After so many images, old files are looked for.
  private static let imagesBetweenCleanings = 16

  /// The path of an image, fetched unless it is kept already.
  func image(at url: String, for owner: Partition) async throws(EngagementError) -> String {
    let path = try await images.fetch(url, for: Self.name(of: owner)) { await isHeld(owner) }.path
    let isLast = imageCount.withLock { count in
      count += 1
      return count.isMultiple(of: Self.imagesBetweenCleanings)
    }
    if isLast { await clean() }
    return path
  }

  // MARK: Users

  /// Removes the files that only this user had, from the folder that both caches share.
  func erase(_ user: User, in environment: String) async throws(EngagementError) {
    try await campaigns.erase(owner: Self.name(of: user, in: environment))
  }

  private static func name(of owner: Partition) -> String {
    name(of: owner.user, in: owner.environment)
  }

  private static func name(of user: User, in environment: String) -> String {
    "\(environment)/\(user.id?.rawValue ?? "")"
  }
}
