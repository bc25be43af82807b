import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementStore

/// The last handled pushes of one user, with the phases that were handled.
///
/// The system may give one push to an application in several calls, and to its extension as well.
/// Only a digest of each push is stored.
struct PushLog {
  private struct Entry {
    var digest: String
    /// In milliseconds.
    var time: Int64
  }

  private var entries: [Entry] = []

  static let name = "pushes"
  private static let most = 200
  /// If equal payloads without an id come further apart than this, they are two pushes.
  private static let patience: UInt64 = 60_000

  /// Reads the log among the kit's stored values.
  init(_ memory: ProviderMemory) { self.init(memory.json(.user, Self.name)) }

  /// Reads the stored log; empty if it cannot be read.
  init(_ kept: JSON?) {
    entries = (kept?.array ?? []).compactMap { entry in
      guard let digest = entry["digest"]?.string, let time = entry["time"]?.integer else {
        return nil
      }
      return Entry(digest: digest, time: time)
    }
  }

  var json: JSON {
    .array(
      entries.map { entry in
        ["digest": .string(entry.digest), "time": .integer(entry.time)]
      })
  }

  /// Whether this is the first call for the push and the step.
  mutating func isFirst(_ push: Push, _ step: String, at date: Date) -> Bool {
    let (digest, time) = (push.digest(of: step), Epoch.milliseconds(of: date) ?? 0)
    let isKnown = entries.contains { entry in
      entry.digest == digest
        && (push.hasID || entry.time.distance(to: time).magnitude <= Self.patience)
    }
    guard !isKnown else { return false }
    entries.append(Entry(digest: digest, time: time))
    entries.removeFirst(max(0, entries.count - Self.most))
    return true
  }

  /// What is new about a push in one of its phases.
  enum News: Hashable, Sendable {
    /// It is the first phase of all.
    case contents
    case phase
  }

  /// Notes the push in the phase of the event; nil if it was handled before.
  mutating func note(_ push: Push, _ event: EngagementEvent) -> News? {
    guard isFirst(push, event.kind.rawValue, at: event.time) else { return nil }
    return isFirst(push, "meaning", at: event.time) ? .contents : .phase
  }

  /// The identity of a push.
  struct Push {
    private let text: String
    /// Whether the vendor gave it an id. Otherwise its bytes identify it.
    let hasID: Bool

    init(_ push: JSON, _ notification: PushNotification, of provider: ProviderID) {
      hasID = notification.messageID != nil
      let own =
        notification.messageID
        ?? String(decoding: push.withSortedKeys.encoded(), as: UTF8.self)
      text = "\(provider.rawValue)\n\(hasID)\n\(own)"
    }

    fileprivate func digest(of step: String) -> String {
      String(SHA256.digest(of: "\(step)\n\(text)").description.prefix(32))
    }
  }
}

extension JSON {
  /// The same value with sorted keys, since a system may deliver the members in any order.
  fileprivate var withSortedKeys: JSON {
    switch self {
    case .object(let object):
      .object(
        JSONObject(
          uniqueMembers: object.members
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { .init($0.key, $0.value.withSortedKeys) }))
    case .array(let array): .array(array.map(\.withSortedKeys))
    case .null, .bool, .integer, .number, .string: self
    }
  }
}
