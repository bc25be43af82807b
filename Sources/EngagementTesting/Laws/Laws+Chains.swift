import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let chains = [keptOverFailure, oneDevice]

  private static let keptOverFailure = Law(
    "chains.kept-over-failure", "the result of one step is kept when the next one fails",
    where: \.registersDevices
  ) { subject, findings in
    for listing in subject.items.map(\.listing) where subject.declares(listing.verb) {
      let clean = try await LawScenario(subject)
      await clean.execute(listing)
      let lines = clean.transport.lines
      for broken in lines.indices {
        let faults = FaultScript([.init(.resetBefore, from: broken + 1)])
        let scenario = try await LawScenario(subject, faults: faults)
        try await scenario.deliver()
        var outcome = await scenario.execute(listing)
        if outcome != .done { outcome = await scenario.execute(listing) }
        findings.expect(outcome, is: .done, "The second try fails.", lines[broken])
        findings.expect(
          scenario.transport.lines.sorted(), is: (lines + [lines[broken]]).sorted(),
          "A completed step runs again.", "\(listing.verb)")
      }
    }
  }

  private static let oneDevice = Law(
    "chains.one-device", "ten concurrent operations register one device", where: \.registersDevices
  ) { subject, findings in
    let listings = subject.items.map(\.listing).filter { subject.declares($0.verb) }
    for first in listings.indices {
      let scenario = try await LawScenario(subject, signsIn: false)
      let operations = (0..<10).map { listings[(first + $0) % listings.count] }
      scenario.hold()
      let outcomes = await scenario.execute(operations)
      let verb = listings[first].verb.rawValue
      findings.expect(
        outcomes, is: Array(repeating: .done, count: 10), "An operation fails.", verb)
      findings.expect(
        await scenario.server.registrations, is: 1, "More than one device is registered.", verb)
    }
  }
}
