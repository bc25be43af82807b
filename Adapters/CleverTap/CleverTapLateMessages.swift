import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The messages that came with a batch and that the vendor may not list yet. A list without them does
/// not remove them. The vendor's Android client waits as long.
struct CleverTapLateMessages {
  private static let patience: Int64 = 6 * 3_600
  private static let most = 100

  /// The ids, the latest last, with the second in which each came.
  private var seconds: [(id: String, time: Int64)]
  private let now: Int64

  init(_ memory: CleverTapMemory, at now: Date) {
    let now = Epoch.wholeSeconds(of: now) ?? 0
    self.now = now
    seconds = memory.lateMessages.members.compactMap { member in
      guard let time = member.value.integer, (now - Self.patience...now).contains(time) else {
        return nil
      }
      return (member.key, time)
    }
  }

  var ids: Set<String> { Set(seconds.map(\.id)) }

  func with(_ ids: [String]) -> Self {
    var late = self
    let new = Set(ids)
    late.seconds.removeAll { new.contains($0.id) }
    late.seconds = (late.seconds + new.sorted().map { ($0, now) }).suffix(Self.most)
    return late
  }

  func without(_ listed: [RawItem]) -> Self {
    guard !seconds.isEmpty else { return self }
    let listed = Set(listed.compactMap { (try? JSONFields($0))?.string("_id") })
    var late = self
    late.seconds.removeAll { listed.contains($0.id) }
    return late
  }

  var change: Change {
    let members = seconds.map { JSONObject.Member($0.id, .integer($0.time)) }
    let json = JSON.object(JSONObject(firstOfEach: members))
    return .keep(
      .user, CleverTapMemory.Name.lateMessages,
      members.isEmpty ? nil : String(decoding: json.encoded(), as: UTF8.self))
  }
}
