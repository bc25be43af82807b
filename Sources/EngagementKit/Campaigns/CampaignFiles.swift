import EngagementFiles
import EngagementHTTP
import EngagementModel
import EngagementStore

/// The files that campaigns name, kept beside the cache.
struct CampaignFiles: Sendable {
  /// Nil where the application allows no hosts: then no file is ever there.
  private let cache: FileCache?
  private let log: Log

  /// The files of one campaign, or of several whose campaigns may become due.
  struct Work: Sendable {
    /// The queued campaign that waits for them; nil for none.
    var id: QueuedCampaign.ID?
    var urls: [String]
    var owner: Partition
  }

  init(
    _ dependencies: KitDependencies, _ options: Options.Presentations, at location: CacheLocation
  ) throws(EngagementError) {
    log = dependencies.log
    let hosts = AllowedHosts(named: options.fileHosts)
    cache =
      hosts.patterns.isEmpty
      ? nil
      : try FileCache(
        folder: "\(location.path).files", hosts: hosts, transport: dependencies.transport,
        now: { [clock = dependencies.clock] in clock.now })
  }

  /// The addresses that a campaign has for the file arguments of its template.
  static func urls(in campaign: Campaign, for template: Template) -> [String] {
    template.arguments.filter { $0.type == .file }.compactMap {
      campaign.arguments[$0.name]?.string
    }
  }

  /// Fetches what is not there yet; false if any file could not be had. Afterwards old files go, where
  /// several campaigns' files were fetched.
  func fetch(_ work: Work) async -> Bool {
    guard let cache else { return work.urls.isEmpty }
    let isReady = await fetch(work, into: cache)
    if work.id == nil { await clean(cache) }
    return isReady
  }

  private func clean(_ cache: FileCache) async {
    do throws(EngagementError) {
      let report = try await cache.clean()
      guard report.expired + report.evicted > 0 else { return }
      log(
        .info,
        "Of the files of campaigns, \(report.expired) were old and \(report.evicted) too many.")
    } catch {
      log(.warning, "Old files of campaigns could not be removed: \(error.code)")
    }
  }

  private func fetch(_ work: Work, into cache: FileCache) async -> Bool {
    let owner = Self.name(of: work.owner)
    return await withTaskGroup(of: Bool.self) { group in
      for url in work.urls {
        group.addTask {
          do throws(EngagementError) {
            _ = try await cache.fetch(url, for: owner)
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
    cache?.path(of: url, for: Self.name(of: owner))
  }

  /// Removes the files that only this user had.
  func erase(_ owner: Partition) async {
    do throws(EngagementError) {
      try await cache?.erase(owner: Self.name(of: owner))
    } catch {
      log(.error, "A user's files could not be removed: \(error.code)")
    }
  }

  private static func name(of owner: Partition) -> String {
    "\(owner.environment)/\(owner.user.id?.rawValue ?? "")"
  }
}
