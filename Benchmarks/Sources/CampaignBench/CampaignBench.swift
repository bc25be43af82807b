import EngagementFiles
public import EngagementHTTP
public import EngagementModel
public import FoundationEssentials

/// What benchmarks measure below the public interface: the engine that decides which campaigns are due,
/// and the files of campaigns.
public enum CampaignBench {
  /// The engine over campaigns that all have the same counts.
  public struct Engine: Sendable {
    private let evaluator: CampaignEvaluator
    private let counts: CampaignCounts

    public init(_ campaigns: [Campaign], inSession: Int, presentations: [Date]) {
      evaluator = CampaignEvaluator(campaigns)
      counts = CampaignCounts(inSession: inSession, presentations: presentations)
    }

    /// How many campaigns an event fires, how many of them may be presented, and the first of these.
    public func evaluate(
      _ occurrence: Campaign.Occurrence, at now: Date
    ) -> (fired: Int, eligible: Int, due: ItemID?) {
      let evaluation = evaluator.evaluate([occurrence], at: CampaignMoment(now)) { _ in counts }
      return (
        evaluation.fired.count, evaluation.eligible.count, evaluation.due.first?.campaign.id
      )
    }
  }

  /// A folder of files.
  public struct Files: Sendable {
    private let cache: FileCache

    /// - Parameter fileBytes: The greatest size of a file.
    public init(
      _ folder: String, fileBytes: Int, over transport: any HTTPTransport
    ) throws(EngagementError) {
      var limits = FileCache.Limits()
      (limits.fileBytes, limits.totalBytes) = (fileBytes, 2 * max(fileBytes, 100 << 20))
      cache = try FileCache(
        folder: folder, limits: limits,
        hosts: AllowedHosts([try HostPattern(validating: "127.0.0.1")]),
        transport: transport)
    }

    /// Fetches a file and returns its size.
    public func fetch(_ url: String) async throws(EngagementError) -> Int {
      try await cache.fetch(url, for: "u-1").byteCount
    }
  }
}
