import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let pushes = [ownPushes, foreignPushes]

  private static let ownPushes = Law(
    "pushes.own", "a push of the vendor's own is recognised, and means what it means",
    where: \.hasPushes
  ) { subject, findings in
    let scenario = try await LawScenario(subject)
    for (index, sample) in subject.pushes.enumerated() {
      let marks = subject.capabilities.pushMarks
      if marks != .none, !marks.areIn(sample.push) {
        findings.note("An own push bears none of the marks that are declared.", "\(index)")
      }
      guard let reception = try await scenario.engagement.handlePush(sample.push) else {
        findings.note("An own push is not recognised.", "\(index)")
        continue
      }
      findings.expect(
        reception.notification.json, is: sample.meaning, "A push means something else.",
        "\(index)")
    }
  }

  /// Pushes that belong to nobody, or to one who is not there.
  private static let strange: [JSON] = [
    [:], [], .null, "push", 1,
    ["aps": ["alert": ["title": "Hello", "body": "World"], "badge": 1]],
    ["notification": ["title": "Hello", "body": "World"], "data": ["k": "v"]],
    ["title": "Hello", "body": "World"], ["custom": ["a": 1]], ["id": "1", "type": "sale"],
  ]

  private static let foreignPushes = Law(
    "pushes.foreign", "a push of anybody else's is refused"
  ) { subject, findings in
    // Of the adapter alone: an application's pushes are sorted before it is asked.
    let scenario = try await LawScenario(subject)
    let context = try await scenario.context()
    for push in strange + subject.foreignPushes {
      guard scenario.adapter.received(push, in: context) != nil else { continue }
      let names = push.object?.members.map(\.key).joined(separator: ", ") ?? "\(push)"
      findings.note("A push of somebody else's is taken.", names)
    }
  }
}
