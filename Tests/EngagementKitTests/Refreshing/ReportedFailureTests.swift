import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// What a vendor hears of its own failures.
@Suite(.timeLimit(.minutes(20))) struct ReportedFailureTests {
  @Test("A28: a vendor is told once that a kind of its requests fails, until one works again")
  func toldFailures() async throws {
    var vendor = PuppetAdapter("atomic", abilities: [.inbox: .idempotentRequest])
    vendor.capabilities.abilities[.events] = .event
    vendor.capabilities.eventKinds = [.providerFailed]
    let said = Locked<[EngagementEvent]>([])
    vendor.onAnswer = { operation, response, _ in
      guard case .events(let events) = operation, response.status == 200 else { return nil }
      said.withLock { $0 += events }
      return Answer()
    }
    let status = Locked<Int?>(503)
    let stage = try await Stage([vendor]) { request throws(EngagementError) in
      guard request.line.hasPrefix("GET") else { return HTTPResponse(200) }
      guard let status = status.withLock({ $0 }) else {
        throw EngagementError(.unavailable, "There is no network.")
      }
      return status == 200 ? .json(200, "[]") : HTTPResponse(status)
    }
    try await stage.signIn("u-1")
    try await stage.engagement.setConsent(.full)
    func told(after answer: Int?) async -> [JSONObject] {
      said.withLock { $0 = [] }
      status.withLock { $0 = answer }
      _ = await stage.engagement.refresh(.inbox)
      await stage.drain("atomic")
      return said.withLock { $0.map(\.properties) }
    }
    #expect(
      await told(after: 503)
        == [["operation": "inbox", "statusCode": 503, "milliseconds": 0, "path": "inbox"]])
    #expect(await told(after: 503).isEmpty, "the vendor knows it")
    #expect(await told(after: 200).isEmpty)
    #expect(await told(after: nil).isEmpty, "no answer came")
    #expect(await told(after: 503).count == 1)
    try await stage.engagement.setConsent(.essential)
    _ = await told(after: 200)
    #expect(await told(after: 503).isEmpty, "it is analytics")
    let failures = try await stage.engagement.events().filter { $0.kind == .providerFailed }
    #expect(failures.count == 5, "one for each refresh that failed, and no second one")
    try await stage.end()
  }
}
