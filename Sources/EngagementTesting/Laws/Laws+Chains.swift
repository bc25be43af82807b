import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let chains = [keptOverFailure, oneDevice]

  private static let keptOverFailure = Law(
    "chains.kept-over-failure", "what one step brought is kept when the next one fails",
    where: \.registersDevices
  ) { subject, findings in
    for listing in subject.items.map(\.listing) where subject.declares(listing.verb) {
      let clean = try await Stage(subject)
      await clean.exchange(listing)
      let lines = clean.transport.lines
      for broken in lines.indices {
        let faults = FaultScript([.init(.deadBefore, after: broken)])
        let stage = try await Stage(subject, faults: faults)
        try await stage.deliver()
        var outcome = await stage.exchange(listing)
        if outcome != .done { outcome = await stage.exchange(listing) }
        findings.expect(outcome, is: .done, "The second try fails.", lines[broken])
        findings.expect(
          stage.transport.lines.sorted(), is: (lines + [lines[broken]]).sorted(),
          "A step is done again.", "\(listing.verb)")
      }
    }
  }

  private static let oneDevice = Law(
    "chains.one-device", "ten operations at once register one device", where: \.registersDevices
  ) { subject, findings in
    let listings = subject.items.map(\.listing).filter { subject.declares($0.verb) }
    for first in listings.indices {
      let stage = try await Stage(subject, signsIn: false)
      let operations = (0..<10).map { listings[(first + $0) % listings.count] }
      stage.hold()
      let outcomes = await stage.exchange(operations)
      let verb = listings[first].verb.text
      findings.expect(
        outcomes, is: Array(repeating: .done, count: 10), "Somebody fails.", verb)
      findings.expect(
        await stage.server.registrations, is: 1, "More devices than one are made.", verb)
    }
  }
}
