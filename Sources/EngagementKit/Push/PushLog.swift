import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The pushes of one user that were handled last, each with its phase.
///
/// The system may give one push to an application in several calls, and to its extension as well.
/// What is kept of a push is a digest.
struct PushLog {
  private struct Entry {
    var digest: String
    /// In milliseconds.
    var time: Int64
  }

  private var entries: [Entry] = []

  static let name = "pushes"
  private static let most = 200
  /// So far apart in time, the same bytes without an id are two pushes.
  private static let patience: UInt64 = 60_000

  /// What was kept; nothing where it cannot be read.
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

  /// Whether the step was not taken for the push before; from then on it was.
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

  /// A push, as it is told from others.
  struct Push {
    private let text: String
    /// Whether its vendor gave it an id; else its bytes have to do.
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
  /// The same in one order: a system may hand over the members in another each time.
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
