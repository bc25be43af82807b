import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
package import EngagementModel
import EngagementPlatform

extension Tables {
  /// Whether the content keys of the user's items are of the configured sources.
  mutating func hasContentKeys(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Bool {
    if itemCache.hasContentKeys(of: partition.id) { return true }
    let made = try partitions.contentKeys(of: partition.id, on: &database)
    guard made == options.contentKeys.spelled else {
      // Of a user who was erased there is nothing to make keys of.
      return try partitions.find(partition.id, on: &database) == nil
    }
    itemCache.noteContentKeys(of: partition.id)
    return true
  }

  /// Makes the content keys of the user's items anew where they are of another source than the configured
  /// one.
  mutating func updateContentKeys(
    of partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CommitReport {
    var report = CommitReport()
    guard try !hasContentKeys(of: partition, on: &database) else { return report }
    let made = try partitions.contentKeys(of: partition.id, on: &database)
    let former = made.flatMap { try? JSON(parsing: Array($0.utf8)) }?.object
    let present = options.contentKeys.json
    let changed = ((former ?? [:]).members + present.members).map(\.key).filter {
      former?[$0] != present[$0]
    }
    try itemCache.remakeContentKeys(
      of: Set(changed.map { ProviderID($0) }), in: partition, at: now, to: &report,
      on: &database)
    try partitions.setContentKeys(
      options.contentKeys.spelled, of: partition.id, on: &database)
    itemCache.noteContentKeys(of: partition.id)
    try recordDuplicated(&report, in: partition, at: now, on: &database)
    return report
  }

  /// Whether what was done to contents is kept although no vendor lists them any more: a migration is
  /// under way, and the vendor that is to show them may list them later.
  mutating func keepsUnlistedContents(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Bool {
    guard !options.contentKeys.isEmpty else { return false }
    let memory = try values.memory(of: Store.kit, in: partition, on: &database)
    return memory.values[.installation, Store.keepsUnlistedContents] != nil
  }

  /// Records the contents of which a provider lists several copies since now.
  mutating func recordDuplicated(
    _ report: inout CommitReport, in partition: Partition, at now: Date,
    on database: inout Database
  ) throws(EngagementError) {
    for content in report.duplicated {
      let properties: JSONObject = [
        "surface": .string(content.surface.rawValue),
        "key": .string(Hex.text(of: content.key.bytes)), "count": .integer(Int64(content.count)),
      ]
      let event = EngagementEvent(
        id: eventID(at: now), kind: .contentDuplicated, time: now.writable,
        zoneOffset: options.zoneOffset(), provider: content.provider, properties: properties)
      try record(event, in: partition.id, on: &database)
    }
    report.duplicated = []
  }
}

extension Store {
  /// The owner of the kit's own values. No provider has this id, since an empty one is refused.
  package static let kit = ProviderID("")

  /// The kit's value of an installation that is there while contents are kept that nobody lists.
  package static let keepsUnlistedContents = "contents.keepsUnlisted"
}

extension [ProviderID: ContentKeySource] {
  fileprivate var json: JSONObject {
    JSONObject(
      uniqueMembers: sorted { $0.key < $1.key }.map {
        JSONObject.Member($0.key.rawValue, $0.value.json)
      })
  }

  /// All sources as one text; nil without any.
  fileprivate var spelled: String? {
    isEmpty ? nil : String(decoding: JSON.object(json).encoded(), as: UTF8.self)
  }
}
