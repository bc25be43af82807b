import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let pushes = [ownPushes, foreignPushes]

  private static let ownPushes = Law(
    "pushes.own", "the vendor's own push is recognized and mapped",
    where: \.hasPushes
  ) { subject, findings in
    let scenario = try await LawScenario(subject)
    for (index, sample) in subject.pushes.enumerated() {
      let marks = subject.capabilities.pushMarks
      if marks != .none, !marks.areIn(sample.push) {
        findings.note("An own push has none of the declared marks.", "\(index)")
      }
      guard let reception = try await scenario.engagement.handlePush(sample.push) else {
        findings.note("An own push is not recognized.", "\(index)")
        continue
      }
      findings.expect(
        reception.notification.json, is: sample.meaning, "A push is mapped wrongly.",
        "\(index)")
    }
  }

  /// Pushes of no vendor, or of a vendor that is not configured.
  private static let strange: [JSON] = [
    [:], [], .null, "push", 1,
    ["aps": ["alert": ["title": "Hello", "body": "World"], "badge": 1]],
    ["notification": ["title": "Hello", "body": "World"], "data": ["k": "v"]],
    ["title": "Hello", "body": "World"], ["custom": ["a": 1]], ["id": "1", "type": "sale"],
  ]

  private static let foreignPushes = Law(
    "pushes.foreign", "a push of another sender is refused"
  ) { subject, findings in
    // The law calls the adapter directly: the kit filters an application's pushes by their marks.
    let scenario = try await LawScenario(subject)
    let context = try await scenario.context()
    for push in strange + subject.foreignPushes {
      guard scenario.adapter.received(push, in: context) != nil else { continue }
      let names = push.object?.members.map(\.key).joined(separator: ", ") ?? "\(push)"
      findings.note("A foreign push is accepted.", names)
    }
  }
}
