import EngagementJSON
package import EngagementModel
package import EngagementPlatform

/// A campaign that is to be presented, from when and until when.
package struct QueuedCampaign: Hashable, Sendable, Identifiable {
  /// Counts up with every campaign that was queued, and is never reused.
  package let id: Int64
  package let provider: ProviderID
  package let campaign: Campaign
  /// Whether it is a visual function that an action called. It comes before all others.
  package let isFirst: Bool
  package let presentAt: Date
  package let expiresAt: Date
  /// How many times a presenter got it.
  package let handOvers: Int
  /// Whether its presentation was recorded.
  package let isPresented: Bool

  package init(
    id: Int64, provider: ProviderID, campaign: Campaign, isFirst: Bool = false, presentAt: Date,
    expiresAt: Date, handOvers: Int = 0, isPresented: Bool = false
  ) {
    self.id = id
    self.provider = provider
    self.campaign = campaign
    self.isFirst = isFirst
    self.presentAt = presentAt
    self.expiresAt = expiresAt
    self.handOvers = handOvers
    self.isPresented = isPresented
  }
}

/// A row of the queue as it is in the file. Nothing in it is trusted before `isSound(for:)`.
struct QueueRow {
  var id: Int64 = 0
  var partition: Partition.ID
  let provider: ProviderID
  let campaign: [UInt8]
  /// The whole campaign, so that it can be presented after the vendor's list changed.
  let body: [UInt8]
  let first: Int64
  let presentAt: Int64
  let expiresAt: Int64
  var handOvers: Int64 = 0
  var presented: Int64 = 0
  /// The checksum in the file.
  var seal: Int64 = 0

  /// The checksum of the row as a row of that user.
  func checksum(for owner: Partition) -> Int64 {
    var checksum = RowChecksum(reservingCapacity: body.count + 256)
    checksum.add(owner.environment)
    checksum.add(owner.user.stored)
    checksum.add(provider.rawValue)
    checksum.add(campaign)
    checksum.add(body)
    for number in [first, presentAt, expiresAt, handOvers, presented] { checksum.add(number) }
    return Int64(bitPattern: checksum.value)
  }

  func isSound(for owner: Partition) -> Bool {
    partition == owner.id && seal == checksum(for: owner)
  }

  /// The row's contents; nil if they cannot be read.
  func read() -> QueuedCampaign? {
    guard let json = try? JSON(parsing: body), var campaign = try? Campaign(json: json) else {
      return nil
    }
    campaign.handle = json[Self.handle]?.object ?? [:]
    return QueuedCampaign(
      id: id, provider: provider, campaign: campaign, isFirst: first == 1,
      presentAt: Milliseconds.date(presentAt).writable,
      expiresAt: Milliseconds.date(expiresAt).writable, handOvers: Int(clamping: handOvers),
      isPresented: presented == 1)
  }

  private static let handle = "handle"
}

extension QueueRow {
  /// Throws `invalidArgument` for a campaign that could not be read back.
  init(
    _ due: CampaignEvaluation.Due, from provider: ProviderID, isFirst: Bool = false,
    of owner: Partition
  ) throws(EngagementError) {
    partition = owner.id
    self.provider = provider
    campaign = Array(due.campaign.id.value.utf8)
    body = try Self.body(of: due.campaign)
    first = isFirst ? 1 : 0
    presentAt = due.presentAt.storedMilliseconds
    expiresAt = due.expiresAt.storedMilliseconds
    seal = checksum(for: owner)
  }

  private static func body(of campaign: Campaign) throws(EngagementError) -> [UInt8] {
    var object = campaign.json.object ?? [:]
    object[handle] = .object(campaign.handle)
    let body = JSON.object(object).encoded()
    try body.requireReadable()
    return body
  }
}
