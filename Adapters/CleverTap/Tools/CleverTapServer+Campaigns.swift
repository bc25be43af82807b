import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a batch is answered with.
extension CleverTapServer {
  mutating func compose(
    _ answer: inout CleverTapAnswer, to batch: CleverTapServerBatch, at now: Date
  ) {
    let time = Self.seconds(now)
    let profile = profiles[user(of: batch)] ?? CleverTapServerProfile()
    let isLaunch = batch.has("App Launched")
    let isWhole = isLaunch || batch.has("wzrk_fetch", data: ["t": 5])
    // The iOS client takes ten for a cap that an answer lacks, and forgets its campaigns without a
    // mode.
    answer.add("imc", .integer(settings.sessionCap))
    answer.add("imp", .integer(settings.dailyCap))
    if let mode = settings.deliveryMode {
      answer.add("inapp_delivery_mode", .string(mode.rawValue))
    }
    if let guid = settings.guid, guid != batch.guid {
      answer.add("g", .string(guid))
      // What the device is called from now on.
      devices[guid] = devices[guid] ?? devices[batch.guid]
    }
    if !settings.arp.isEmpty { answer.add("arp", .object(settings.arp)) }
    addFetched(to: &answer, batch)
    addCampaigns(to: &answer, batch, profile, isWhole: isWhole, isLaunch: isLaunch, at: time)
    addMessages(to: &answer, batch, profile, isWhole: isWhole, at: time)
    devices[batch.guid]?.toldMessages = lastStamp
    devices[batch.guid]?.toldCampaigns = lastStamp
  }

  private func addCampaigns(
    to answer: inout CleverTapAnswer, _ batch: CleverTapServerBatch,
    _ profile: CleverTapServerProfile,
    isWhole: Bool, isLaunch: Bool, at time: Int64
  ) {
    let told = devices[batch.guid]?.toldCampaigns ?? -1
    let visible = campaigns.filter { $0.isVisible(to: profile.user, at: time) }
    let gone = stale.filter { $0.stamp > told }
    func list(_ delivery: CleverTapCampaign.Delivery) -> [CleverTapCampaign] {
      visible.filter { $0.delivery == delivery }
    }
    let isChanged = !gone.isEmpty || campaigns.contains { $0.stamp > told }
    if isWhole || isChanged {
      if settings.deliveryMode != .serverSide {
        let campaigns = list(.clientSide)
        answer.add("inapp_notifs_cs", listing: campaigns.map(\.listed))
      }
      if settings.deliveryMode != .clientSide {
        answer.add("inapp_notifs_ss", listing: list(.serverSide).map(\.listed))
      }
    }
    if isLaunch, settings.deliveryMode != .clientSide {
      answer.add("inapp_notifs_applaunched", listing: list(.appLaunched).map(\.listed))
    }
    let immediate = list(.immediate).filter {
      $0.stamp > told || isWhole && !batch.shownCampaigns.contains($0.id)
    }
    let wanted = wanted(by: batch, among: visible)
    if !(immediate + wanted).isEmpty {
      answer.add("inapp_notifs", listing: immediate.map(\.listed) + wanted.map(\.whole))
    }
    if !gone.isEmpty {
      answer.add("inapp_stale", .array(gone.map { .string($0.id) }))
    }
  }

  /// The campaigns whose triggers a client found met, and those that it asks for after a time
  /// without action.
  private func wanted(
    by batch: CleverTapServerBatch, among visible: [CleverTapCampaign]
  ) -> [CleverTapCampaign] {
    let evaluated = (batch.meta["inapps_eval"]?.array ?? []).compactMap(CleverTapCampaign.id)
    let fetched = batch.items.filter { $0["evtData"]?["t"] == 6 }
      .compactMap { CleverTapCampaign.id($0["evtData"]?["tgtId"]) }
    return (evaluated + fetched).compactMap { id in
      visible.first { $0.id == id && $0.delivery == .serverSide }
    }
  }

  /// What the clients fetch that has nothing in it here.
  private func addFetched(to answer: inout CleverTapAnswer, _ batch: CleverTapServerBatch) {
    let nothing: [(t: Int64, key: String, value: JSON)] = [
      (0, "pc_notifs", ["kv": [], "ts": 0]), (1, "ff_notifs", ["kv": []]), (4, "vars", [:]),
    ]
    for (t, key, value) in nothing where batch.has("wzrk_fetch", data: ["t": .integer(t)]) {
      answer.add(key, value)
    }
  }

  /// The older inbox whole at a launch; of the newer one what a device was not told of.
  private func addMessages(
    to answer: inout CleverTapAnswer, _ batch: CleverTapServerBatch,
    _ profile: CleverTapServerProfile,
    isWhole: Bool, at time: Int64
  ) {
    let told = devices[batch.guid]?.toldMessages ?? -1
    let visible = messages.filter { $0.isVisible(to: profile, at: time) }
    let fresh = visible.filter { $0.stamp > told }
    if settings.listsInboxV1 {
      let listed = isWhole ? visible : fresh
      guard !listed.isEmpty else { return }
      answer.add(
        "inbox_notifs", listing: listed.map { $0.listed(for: profile, withReadState: false) })
    } else if settings.hasInboxV2, !fresh.isEmpty {
      answer.add(
        "inbox_notifs_v2", listing: fresh.map { $0.listed(for: profile, withReadState: true) })
    }
  }
}
