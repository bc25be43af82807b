import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// What vendors ask to wait with, and what a person decides about it.
@Suite("pauses", .timeLimit(.minutes(20))) struct PauseTests {
  /// A vendor that answers a request with 429 until the test says otherwise.
  private static func busy(_ verbs: Set<EngagementAdapterAPI.Operation.Verb>) -> PuppetAdapter {
    var vendor = PuppetAdapter("vendor")
    vendor.onAnswer = { operation, response, _ in
      guard response.status == 429, verbs.contains(operation.verb) else { return nil }
      var error = EngagementError(.rateLimited, "The vendor asked for fewer requests.")
      error.retryAfter = .seconds(3_600)
      return Answer([], .retry(error))
    }
    return vendor
  }

  /// Answers 429 to these paths while the flag is set.
  private static func script(
    _ isBusy: Locked<Bool>, _ path: String
  ) -> ScriptedTransport.Script {
    { request in
      isBusy.withLock { $0 } && request.line.contains(path)
        ? HTTPResponse(429) : .json(200, #"["a"]"#)
    }
  }

  @Test("G6: a vendor that asks for a pause at the first contact is throttled, and not unchanged")
  func firstContact() async throws {
    let isBusy = Locked(true)
    var vendor = Self.busy([.settings])
    // As a vendor whose cards depend on its settings.
    vendor.onStep = { operation, _ in
      guard case .cards = operation, isBusy.withLock({ $0 }) else { return nil }
      return .done([])
    }
    let stage = try await Stage([vendor], Self.script(isBusy, "settings"))
    let end = stage.clock.now.addingTimeInterval(3_600)
    _ = await stage.engagement.refresh(.cards)
    let second = await stage.engagement.refresh(.cards)
    #expect(second.providers == ["vendor": .throttled(until: end)] && !second.isComplete)
    #expect(stage.transport.requests.count == 1)
    #expect(try await stage.engagement.pauses == ["vendor": end])
    try await stage.engagement.endPauses()
    #expect(try await stage.engagement.pauses.isEmpty)
    isBusy.withLock { $0 = false }
    #expect(await stage.engagement.refresh(.cards).providers == ["vendor": .fresh])
    try await stage.end()
  }

  @Test("G6: a vendor that refuses a delivery for its rate gets no other delivery meanwhile")
  func otherDeliveries() async throws {
    let isBusy = Locked(true)
    let stage = try await Stage(
      [Self.busy([.updatePerson])], Self.script(isBusy, "person.update"))
    var update = PersonUpdate()
    update.city = "Varna"
    try await stage.engagement.updatePerson(update)
    await stage.drain("vendor")
    let first = stage.transport.requests.count
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0a"), service: .apns))
    await stage.drain("vendor")
    #expect(stage.transport.requests.count == first, "the vendor has asked for an hour")
    isBusy.withLock { $0 = false }
    try await stage.engagement.endPauses()
    await stage.drain("vendor")
    #expect(stage.transport.requests.count == first + 2)
    try await stage.end()
  }

  @Test("G6: a pause binds deliveries too, and the next process, until a person ends it")
  func deliveries() async throws {
    let place = Stage.Place()
    let isBusy = Locked(true)
    var vendor = Self.busy([.device(.register)])
    vendor.onStep = { operation, context in
      guard case .registerPush = operation, context.values[.installation, "device"] == nil else {
        return nil
      }
      return .first(.device(.register))
    }
    let answer = vendor.onAnswer
    vendor.onAnswer = { operation, response, context in
      if let answer = answer(operation, response, context) { return answer }
      guard case .device(.register) = operation else { return nil }
      return Answer([.keep(.installation, "device", "1")])
    }
    let token = PushRegistration(token: Secret("0a"), service: .apns)
    let first = try await Stage([vendor], at: place, Self.script(isBusy, "device"))
    try await first.engagement.registerPush(token)
    await first.drain("vendor")
    #expect(first.transport.requests.count == 1)
    try await first.end()
    let second = try await Stage([vendor], at: place, Self.script(isBusy, "device"))
    await second.drain("vendor")
    #expect(second.transport.requests.isEmpty, "the vendor has asked for an hour")
    isBusy.withLock { $0 = false }
    try await second.engagement.endPauses()
    await second.drain("vendor")
    #expect(second.transport.requests.count == 2)
    #expect(try await second.engagement.pendingCounts["vendor"] ?? 0 == 0)
    try await second.end()
  }

  @Test("G6: a pause of the installation binds every user, and the next process, until it is ended")
  func installation() async throws {
    let place = Stage.Place()
    let isBusy = Locked(true)
    let end = Locked<Date?>(nil)
    var vendor = PuppetAdapter("vendor")
    vendor.onAnswer = { _, _, context in
      guard isBusy.withLock({ $0 }) else { return nil }
      let date = context.now.addingTimeInterval(20 * 86_400)
      end.withLock { $0 = date }
      return Answer([.paused(until: date)])
    }
    let first = try await Stage([vendor], at: place)
    try await first.signIn("u-1", consent: .full)
    _ = await first.engagement.refresh(.inbox)
    let until = try #require(end.withLock { $0 })
    #expect(try await first.engagement.pauses == ["vendor": until])
    try await first.signIn("u-2", consent: .full)
    let before = first.transport.requests.count
    #expect(
      await first.engagement.refresh(.inbox).providers == ["vendor": .throttled(until: until)])
    #expect(first.transport.requests.count == before, "the vendor has asked for weeks")
    try await first.end()
    isBusy.withLock { $0 = false }
    let second = try await Stage([vendor], at: place)
    #expect(try await second.engagement.pauses == ["vendor": until])
    try await second.engagement.endPauses()
    #expect(try await second.engagement.pauses.isEmpty)
    _ = await second.engagement.refresh(.inbox)
    #expect(!second.transport.requests.isEmpty)
    try await second.end()
  }

  @Test("G6: ending the pauses sends what a queue holds back")
  func queue() async throws {
    let isBusy = Locked(true)
    let stage = try await Stage([Self.busy([.associate])], Self.script(isBusy, "associate"))
    try await stage.signIn("u-1", consent: .full)
    let receipt = try await stage.engagement.associate("p-1")
    await stage.drain("vendor")
    isBusy.withLock { $0 = false }
    await stage.drain("vendor")
    #expect(receipt.outcomes.isEmpty)
    try await stage.engagement.endPauses()
    await stage.drain("vendor")
    #expect(receipt.outcomes == ["vendor": .delivered])
    try await stage.end()
  }

  @Test("G17: a feed with an item that could not be read is fetched whole until all are readable")
  func quarantine() async throws {
    var vendor = PuppetAdapter("vendor")
    let extents = Locked<[Bool]>([])
    let bad = Locked(true)
    vendor.onStep = { operation, context in
      if case .cards = operation { extents.withLock { $0.append(context.wantsEverything) } }
      return nil
    }
    vendor.onAnswer = { operation, _, _ in
      guard case .cards = operation else { return nil }
      let bodies = [#"{"id":"a"}"#, bad.withLock { $0 } ? #"{"no":"id"}"# : #"{"id":"b"}"#]
      return Answer([
        .items(
          .cards, .replace(.nothing),
          bodies.enumerated().map { RawItem(index: $0, bytes: Array($1.utf8)[...]) })
      ])
    }
    let stage = try await Stage([vendor])
    _ = await stage.engagement.refresh(.cards)
    let found = try await stage.engagement.quarantinedItems()
    #expect(found.map(\.index) == [1] && found.map(\.provider) == ["vendor"])
    _ = await stage.engagement.refresh(.cards)
    bad.withLock { $0 = false }
    _ = await stage.engagement.refresh(.cards)
    #expect(try await stage.engagement.quarantinedItems().isEmpty)
    _ = await stage.engagement.refresh(.cards)
    _ = await stage.engagement.refresh(.cards, .everything)
    #expect(extents.withLock { $0 } == [false, true, true, false, true])
    try await stage.end()
  }

  @Test("pending actions are listed, also of a provider that is no longer open, and can be dropped")
  func dropping() async throws {
    let place = Stage.Place()
    let first = try await Stage(
      [PuppetAdapter("old"), PuppetAdapter("new")], at: place, { _ in HTTPResponse(503) })
    try await first.signIn("u-1", consent: .full)
    let receipt = try await first.engagement.associate("p-1")
    try await first.end()
    let second = try await Stage([PuppetAdapter("new")], at: place)
    let actions = try await second.engagement.pendingActions()
    #expect(Set(actions.map(\.provider)) == ["old", "new"])
    #expect(actions.map(\.name) == ["person.associate", "person.associate"])
    let left = actions.filter { $0.provider == "old" }.map(\.id)
    #expect(try await second.engagement.discard(left + [999]) == 1)
    #expect(try await second.engagement.pendingActions().map(\.provider) == ["new"])
    let counts = try await second.engagement.checkCache().deliveryCounts
    #expect(counts["old"]?.wiped == 1 && counts["old"]?.isConserved == true)
    #expect(receipt.providers == ["old", "new"])
    try await second.end()
  }

  @Test("each vendor gets the fields of a person that it takes")
  func fields() async throws {
    let got = Locked<[ProviderID: Set<PersonUpdate.Field>]>([:])
    func vendor(_ provider: ProviderID) -> PuppetAdapter {
      var vendor = PuppetAdapter(provider)
      vendor.onStep = { operation, _ in
        if case .updatePerson(let update) = operation {
          got.withLock { $0[provider] = update.fields }
        }
        return nil
      }
      return vendor
    }
    var narrow = vendor("narrow")
    narrow.capabilities.personFields = [.email, .custom]
    let stage = try await Stage([narrow, vendor("wide")])
    try await stage.signIn("u-1", consent: .full)
    var update = PersonUpdate()
    update.email = "ada@example.com"
    update.name = "Ada"
    try await stage.engagement.updatePerson(update)
    await stage.drain("narrow", "wide")
    #expect(got.withLock { $0 } == ["narrow": [.email], "wide": [.email, .name]])
    #expect(try stage.engagement.personFields(at: "narrow") == [.email, .custom])
    try await stage.end()
  }

  @Test("outcomes and reports are printed in words")
  func descriptions() {
    let outcome = Engagement.RefreshOutcome([
      "b": .failed(EngagementError(.unavailable, "The vendor is down.")), "a": .notModified,
    ])
    #expect("\(outcome)" == "a: not modified; b: failed: The vendor is down. [unavailable]")
    #expect("\(Engagement.RefreshOutcome())" == "no provider")
    let report = Engagement.DeliveryReport(["a": .init(delivered: 2, pending: 1), "b": .init()])
    #expect("\(report)" == "a: 2 delivered, 1 pending; b: nothing to send")
    #expect("\(Engagement.Receipt.Outcome.discarded(.wiped))" == "discarded: wiped")
    #expect("\(Engagement.Receipt.Outcome.kept)" == "kept on this device")
  }
}
