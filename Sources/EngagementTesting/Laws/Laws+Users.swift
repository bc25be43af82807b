import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel

extension Law {
  static let users = [nothingOfTheFormer]

  private static let nothingOfTheFormer = Law(
    "users.nothing-of-the-former",
    "after a switch at any point nothing of the former user is sent or shown"
  ) { subject, findings in
    let clean = try await LawScenario(subject)
    clean.transport.forget()
    try await clean.settle()
    for held in clean.transport.lines.indices {
      let scenario = try await LawScenario(subject)
      for samples in subject.items {
        await scenario.server.put(
          [samples.item("of-ada", 0)], in: samples.feed, for: LawScenario.user)
        await scenario.server.put(
          [samples.item("of-bob", 0)], in: samples.feed, for: LawScenario.other)
      }
      try await scenario.switchMeanwhile(held, &findings)
      try await scenario.settle()
      await scenario.checkRequests(held, &findings)
      try await scenario.checkView(is: ["of-bob"], held, &findings)
      try await scenario.checkMemory(held, &findings)
    }
  }
}

extension LawScenario {
  /// Changes the user while a request of the former user waits for its answer.
  fileprivate func switchMeanwhile(_ held: Int, _ findings: inout LawFindings) async throws {
    hold(after: held)
    let isOver = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await settle()
        isOver.withLock { $0 = true }
      }
      await isStill(1) { isOver.withLock { $0 ? 1 : 0 } }
      try await signInWhileTimePasses()
      try await checkView(is: [], held, &findings)
      gate.open()
      try await group.waitForAll()
    }
  }

  /// Advances the clock until the next user is signed in, so that waits for the held answer reach
  /// their time limits. Later it would only exceed the limits of the next user's requests.
  private func signInWhileTimePasses() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await signIn(LawScenario.other) }
      group.addTask {
        while !Task.isCancelled, engagement.user != LawScenario.other {
          await Task.yield()
          clock.advance(by: .milliseconds(1))
        }
      }
      while try await group.next() != nil {}
    }
  }

  /// Checks that no later request is sent for the former user or contains a secret of theirs.
  fileprivate func checkRequests(_ held: Int, _ findings: inout LawFindings) async {
    let secrets = former
    for request in requests(in: LawScenario.other) {
      let place = "\(request.line), switched during request \(held)"
      if await server.user(of: request) == LawScenario.user {
        findings.note("A request speaks for the former user.", place)
      }
      for secret in secrets where request.holds(secret) {
        findings.note("A request contains a secret or id of the former user.", place)
      }
    }
  }

  /// The id and every credential of the former user.
  private var former: [String] {
    guard let id = LawScenario.user.id else { return [] }
    let credentials = (1...3).compactMap { subject.credential(id, $0)?.revealed }
    return [id.rawValue] + credentials
  }

  fileprivate func checkView(
    is expected: [String], _ held: Int, _ findings: inout LawFindings
  ) async throws {
    for samples in subject.items where subject.declares(samples.listing.verb) {
      findings.expect(
        try await visible(samples), is: expected, "The next user sees a wrong feed.",
        "\(samples.feed.surface), switched during request \(held)")
    }
  }

  /// Checks the adapter's values for the next user, and the next user's export.
  fileprivate func checkMemory(_ held: Int, _ findings: inout LawFindings) async throws {
    let context = try await context()
    let values =
      context.values.all(.user).map(\.value)
      + context.secrets.all(.user).map(\.value.revealed)
    let export = try await engagement.exportData(of: LawScenario.other).map { object in
      String(decoding: JSON.object(object).encoded(), as: UTF8.self)
    }
    for former in former + ["of-ada"] where (values + export).contains(where: { $0.holds(former) })
    {
      findings.note(
        "The next user's stored data contains the former user's.",
        "switched during request \(held)")
    }
  }
}

extension HTTPRequest {
  /// Whether the request contains the text anywhere.
  func holds(_ text: String) -> Bool {
    let headers = headers.fields.map { $0.value.text ?? $0.value.secret?.revealed ?? "" }
    return ([url, self.text] + headers).contains { $0.holds(text) }
  }
}
