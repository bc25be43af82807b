import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

extension Invocation {
  /// Says which vendors want to be left alone and until when. Returns what is told now.
  ///
  /// - Parameters:
  ///   - providers: Those that are told of; nil for all.
  ///   - known: What was told before, which is not told again.
  @discardableResult func tellPauses(
    of engagement: Engagement, at providers: Set<ProviderID>? = nil,
    known: [ProviderID: Date] = [:]
  ) async throws -> [ProviderID: Date] {
    let pauses = try await engagement.pauses.filter { providers?.contains($0.key) ?? true }
    for (id, date) in pauses.sorted(by: { $0.key < $1.key }) where known[id] != date {
      console.note(id.pausedText(until: date))
    }
    return pauses
  }
}

extension ProviderID {
  /// What is said of a vendor that asked for a pause.
  func pausedText(until date: Date) -> Phrase {
    """
    \(rawValue) has asked to be left alone until \(ISO8601.text(of: date) ?? "later"). \
    What waits is sent then; "engage sync --now" asks it nevertheless.
    """
  }
}
