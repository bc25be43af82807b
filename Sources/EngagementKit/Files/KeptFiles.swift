import EngagementFiles
import EngagementHTTP
import EngagementModel
import EngagementStore

/// The files that campaigns name, and images that the application asks for. Both are kept in one folder
/// beside the cache.
struct KeptFiles: Sendable {
  private let campaigns: FileCache
  private let images: FileCache
  private let imageCount = Locked(0)
  private let log: Log

  /// The files of one campaign, or of several whose campaigns may become due.
  struct Work: Sendable {
    /// The queued campaign that waits for them; nil for none.
    var id: QueuedCampaign.ID?
    var urls: [String]
    var owner: Partition
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
    log = dependencies.log
  }

  // MARK: Campaigns

  /// The addresses that a campaign has for the file arguments of its template.
  static func urls(in campaign: Campaign, for template: Template) -> [String] {
    template.arguments.filter { $0.type == .file }.compactMap {
      campaign.arguments[$0.name]?.string
    }
  }

  /// Fetches what is not there yet; false if any file could not be had. Afterwards old files go, where
  /// several campaigns' files were fetched.
  func fetch(_ work: Work) async -> Bool {
    let isReady = await fetchAll(work)
    if work.id == nil { await clean() }
    return isReady
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

  private func fetchAll(_ work: Work) async -> Bool {
    let owner = Self.name(of: work.owner)
    return await withTaskGroup(of: Bool.self) { group in
      for url in work.urls {
        group.addTask {
          do throws(EngagementError) {
            _ = try await campaigns.fetch(url, for: owner)
            return true
          } catch {
            // Without the address: it may name a person.
            log(.warning, "A campaign's file could not be fetched: \(error.code)")
            return false
          }
        }
      }
      return await group.reduce(true) { $0 && $1 }
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
    let path = try await images.fetch(url, for: Self.name(of: owner)).path
    let isLast = imageCount.withLock { count in
      count += 1
      return count.isMultiple(of: Self.imagesBetweenCleanings)
    }
    if isLast { await clean() }
    return path
  }

  // MARK: Users

  /// Removes the files that only this user had.
  func erase(_ owner: Partition) async {
    for cache in [campaigns, images] {
      do throws(EngagementError) {
        try await cache.erase(owner: Self.name(of: owner))
      } catch {
        log(.error, "A user's files could not be removed: \(error.code)")
      }
    }
  }

  private static func name(of owner: Partition) -> String {
    "\(owner.environment)/\(owner.user.id?.rawValue ?? "")"
  }
}
