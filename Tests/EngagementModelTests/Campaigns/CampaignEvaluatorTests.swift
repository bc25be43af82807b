import EngagementModel
import FoundationEssentials
import Testing

@Suite("Campaigns: due or not") struct CampaignEvaluatorTests {
  private func campaign(
    _ id: String, on event: String = "e", _ change: (inout Campaign) -> Void = { _ in }
  ) -> Campaign {
    var campaign = Campaign(ItemID("p", id), vendor: "v", template: "t")
    campaign.triggers = [Campaign.Trigger(event)]
    change(&campaign)
    return campaign
  }

  private func evaluate(
    _ campaigns: [Campaign], _ occurrences: [Campaign.Occurrence] = [Campaign.Occurrence("e")],
    at moment: CampaignMoment = .start, counts: CampaignCounts = CampaignCounts()
  ) -> CampaignEvaluation {
    CampaignEvaluator(campaigns).evaluate(occurrences, at: moment) { _ in counts }
  }

  // MARK: Triggers

  @Test("C9: one of several triggers is enough, and it fires a campaign once for an event")
  func triggers() {
    let twice = campaign("1") {
      $0.triggers = [Campaign.Trigger("x"), Campaign.Trigger("e"), Campaign.Trigger("E ")]
    }
    let evaluation = evaluate([twice, campaign("2", on: "other"), campaign("3")])
    #expect(evaluation.fired.map(\.value) == ["1", "3"])
    let none = campaign("4") { $0.triggers = [] }
    #expect(evaluate([none]).fired.isEmpty)
  }

  @Test(
    "C9: only the first event fires a trigger for the first time only", arguments: [true, false])
  func firstTime(isFirst: Bool) {
    let first = campaign("1") { $0.triggers = [Campaign.Trigger("e", isFirstTimeOnly: true)] }
    let evaluation = evaluate([first], [Campaign.Occurrence("e", isFirst: isFirst)])
    #expect(evaluation.fired.isEmpty != isFirst)
  }

  @Test("C9: a change of an attribute fires triggers that name it, and each change counts")
  func attributes() {
    let plan = campaign("1") {
      $0.triggers = [
        Campaign.Trigger(
          "Plan changed", attribute: "plan",
          properties: [Campaign.Condition("newValue", .equals, "gold")])
      ]
      $0.limits = [Campaign.Limit(.onExactly, 2)]
    }
    let changes = [
      Campaign.Occurrence("p", properties: ["newValue": "gold"], attribute: "Plan"),
      Campaign.Occurrence("Plan changed", properties: ["newValue": "gold"]),
      Campaign.Occurrence("p", properties: ["newValue": "tin"], attribute: "Plan"),
      Campaign.Occurrence("p", properties: ["newValue": "gold"], attribute: "Name"),
    ]
    #expect(evaluate([plan], [changes[0]]).fired.count == 1)
    #expect(evaluate([plan], [changes[0]]).eligible.isEmpty)
    let both = evaluate([plan], changes)
    #expect(both.fired.map(\.value) == ["1", "1"])
    #expect(both.eligible.count == 1)
  }

  // MARK: Limits

  struct LimitCase: Sendable, CustomTestStringConvertible {
    let limit: Campaign.Limit
    /// The seconds before now of presentations that are allowed, and of others that are not.
    var allowed: [[Double]] = []
    var refused: [[Double]] = []

    var testDescription: String { "\(limit.json)" }
  }

  /// Tuesday, 2026-09-22, 10:00 in a zone three hours ahead of UTC.
  static let moment = CampaignMoment(
    Date(timeIntervalSince1970: 1_790_060_400), zoneOffset: 3 * 3_600)

  static let limits: [LimitCase] = [
    LimitCase(
      limit: Campaign.Limit(.seconds, 1, frequency: 10), allowed: [[], [11]],
      // The clock was set back since the last one.
      refused: [[10], [3], [-3_600]]),
    LimitCase(
      limit: Campaign.Limit(.minutes, 2, frequency: 5), allowed: [[301, 30], [400, 350]],
      refused: [[300, 30]]),
    LimitCase(
      limit: Campaign.Limit(.hours, 1, frequency: 2), allowed: [[7_201]], refused: [[7_200]]),
    LimitCase(
      limit: Campaign.Limit(.day, 1), allowed: [[10 * 3_600 + 1]], refused: [[10 * 3_600]]),
    LimitCase(
      limit: Campaign.Limit(.days, 1, frequency: 1), allowed: [[10 * 3_600 + 1]],
      refused: [[10 * 3_600]]),
    LimitCase(
      limit: Campaign.Limit(.days, 1, frequency: 2), allowed: [[34 * 3_600 + 1]],
      refused: [[34 * 3_600]]),
    // The week began on Monday.
    LimitCase(
      limit: Campaign.Limit(.weeks, 1, frequency: 1), allowed: [[34 * 3_600 + 1]],
      refused: [[34 * 3_600]]),
    LimitCase(
      limit: Campaign.Limit(.weeks, 1, frequency: 2), allowed: [[(34 + 168) * 3_600 + 1]],
      refused: [[(34 + 168) * 3_600]]),
    LimitCase(limit: Campaign.Limit(.ever, 2), allowed: [[], [9e8]], refused: [[9e8, 1]]),
    LimitCase(limit: Campaign.Limit(.ever, 0), refused: [[]]),
    LimitCase(limit: .unreadable, refused: [[]]),
    LimitCase(limit: Campaign.Limit(.minutes, 1), refused: [[]]),
    LimitCase(limit: Campaign.Limit(.days, 1, frequency: 0), refused: [[]]),
    LimitCase(limit: Campaign.Limit(.hours, 1, frequency: -1), refused: [[]]),
    LimitCase(limit: Campaign.Limit(.hours, 1, frequency: .max), allowed: [[]], refused: [[1]]),
    LimitCase(limit: Campaign.Limit(.weeks, 1, frequency: .max), allowed: [[]], refused: [[1]]),
  ]

  @Test("C9: each limit counts presentations in its own periods", arguments: limits)
  func limit(_ test: LimitCase) {
    let limited = campaign("1") { $0.limits = [test.limit] }
    func isDue(_ ages: [Double]) -> Bool {
      let times = ages.map { Self.moment.now.addingTimeInterval(-$0) }
      return !evaluate([limited], at: Self.moment, counts: CampaignCounts(presentations: times))
        .due.isEmpty
    }
    for ages in test.allowed { #expect(isDue(ages), "\(ages)") }
    for ages in test.refused { #expect(!isDue(ages), "\(ages)") }
  }

  @Test(
    "C9: a limit of the session counts its presentations, and occurrences count fired triggers",
    arguments: [
      (Campaign.Limit(.session, 2), CampaignCounts(inSession: 1), true),
      (Campaign.Limit(.session, 2), CampaignCounts(inSession: 2), false),
      (Campaign.Limit(.onEvery, 3), CampaignCounts(fired: 2), true),
      (Campaign.Limit(.onEvery, 3), CampaignCounts(fired: 5), true),
      (Campaign.Limit(.onEvery, 3), CampaignCounts(fired: 3), false),
      (Campaign.Limit(.onEvery, 0), CampaignCounts(fired: 3), false),
      (Campaign.Limit(.onExactly, 1), CampaignCounts(), true),
      (Campaign.Limit(.onExactly, 1), CampaignCounts(fired: 1), false),
    ])
  func counts(limit: Campaign.Limit, counts: CampaignCounts, isDue: Bool) {
    let limited = campaign("1") { $0.limits = [limit] }
    let evaluation = evaluate([limited], counts: counts)
    #expect(evaluation.due.isEmpty != isDue)
    #expect(evaluation.fired.count == 1)
  }

  @Test("C9: all limits of a campaign must allow it")
  func allLimits() {
    let limited = campaign("1") {
      $0.limits = [Campaign.Limit(.session, 2), Campaign.Limit(.ever, 1)]
    }
    let shown = CampaignCounts(inSession: 1, presentations: [CampaignMoment.start.now])
    #expect(!evaluate([limited]).due.isEmpty)
    #expect(evaluate([limited], counts: shown).due.isEmpty)
  }

  // MARK: Choice

  @Test("C9: of several campaigns, the highest priority is due, then the smallest id")
  func order() {
    let campaigns = [
      campaign("9"), campaign("10") { $0.priority = 2 }, campaign("100") { $0.priority = 2 },
      campaign("8") { $0.priority = 1 }, campaign("a") { $0.priority = 2 },
    ]
    let evaluation = evaluate(campaigns)
    #expect(evaluation.eligible.map(\.id.value) == ["10", "100", "a", "8", "9"])
    #expect(evaluation.due.map(\.campaign.id.value) == ["10"])
  }

  @Test("C9: a suppressed campaign is reported and leaves its place to the next one")
  func suppression() {
    let campaigns = [
      campaign("1") { ($0.priority, $0.isSuppressed) = (9, true) },
      campaign("2") { ($0.priority, $0.isSuppressed) = (8, true) }, campaign("3"),
      // The vendor is told of what was passed over, and not of what stands behind.
      campaign("4") { ($0.priority, $0.isSuppressed) = (0, true) },
    ]
    let evaluation = evaluate(campaigns)
    #expect(evaluation.due.map(\.campaign.id.value) == ["3"])
    #expect(evaluation.suppressed.map(\.id.value) == ["1", "2"])
    #expect(evaluate(Array(campaigns.prefix(2))).due.isEmpty)
  }

  @Test("C9: one campaign is due for each delay, and its end counts from its event")
  func delays() {
    let now = CampaignMoment.start.now
    let campaigns = [
      campaign("1") { $0.lifetimeSeconds = 60 },
      campaign("2") { ($0.delaySeconds, $0.expiresAt) = (30, now.addingTimeInterval(5)) },
      campaign("3") { ($0.delaySeconds, $0.priority) = (30, 0) },
      campaign("4") { $0.delaySeconds = 5 },
      campaign("5") { ($0.lifetimeSeconds, $0.expiresAt) = (60, now) },
    ]
    let due = evaluate(campaigns).due
    #expect(due.map(\.campaign.id.value) == ["1", "4", "2"])
    #expect(due.map { $0.presentAt.timeIntervalSince(now) } == [0, 5, 30])
    #expect(due.map { $0.expiresAt.timeIntervalSince(now) } == [60, 172_800, 5])
  }
}

extension CampaignMoment {
  static let start = CampaignMoment(Date(timeIntervalSince1970: 1_790_060_400))
}
