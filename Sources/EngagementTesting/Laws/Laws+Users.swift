import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel

extension Law {
  static let users = [nothingOfTheFormer]

  private static let nothingOfTheFormer = Law(
    "users.nothing-of-the-former",
    "after a switch nothing of the former user is sent or seen, at whatever point it came"
  ) { subject, findings in
    let clean = try await Stage(subject)
    clean.transport.forget()
    try await clean.settle()
    for held in clean.transport.lines.indices {
      let stage = try await Stage(subject)
      for samples in subject.items {
        await stage.server.put([samples.item("of-ada", 0)], in: samples.feed, for: Stage.user)
        await stage.server.put([samples.item("of-bob", 0)], in: samples.feed, for: Stage.other)
      }
      try await stage.switchMeanwhile(held, &findings)
      try await stage.settle()
      await stage.checkRequests(held, &findings)
      try await stage.checkView(is: ["of-bob"], held, &findings)
      try await stage.checkMemory(held, &findings)
    }
  }
}

extension Stage {
  /// Changes the user while an exchange of the former one waits for its answer.
  fileprivate func switchMeanwhile(_ held: Int, _ findings: inout Findings) async throws {
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

  /// What waits for the held answer as well gives up when its time is over, so time has to pass
  /// until the next user is there. After that nothing waits, and time would only run out on what
  /// the next user sends.
  private func signInWhileTimePasses() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await signIn(Stage.other) }
      group.addTask {
        while !Task.isCancelled, engagement.user != Stage.other {
          await Task.yield()
          clock.advance(by: .milliseconds(1))
        }
      }
      while try await group.next() != nil {}
    }
  }

  /// What was sent since: nothing in it speaks for the former user or holds a secret of theirs.
  fileprivate func checkRequests(_ held: Int, _ findings: inout Findings) async {
    let secrets = former
    for request in requests(in: Stage.other) {
      let place = "\(request.line), switched during request \(held)"
      if await server.speaker(of: request) == Stage.user {
        findings.note("A request speaks for the former user.", place)
      }
      for secret in secrets where request.holds(secret) {
        findings.note("A request holds what is the former user's.", place)
      }
    }
  }

  /// The id of the former user and every credential that was theirs.
  private var former: [String] {
    guard let id = Stage.user.id else { return [] }
    let credentials = (1...3).compactMap { subject.credential(id, $0)?.revealed }
    return [id.text] + credentials
  }

  fileprivate func checkView(
    is expected: [String], _ held: Int, _ findings: inout Findings
  ) async throws {
    for samples in subject.items where subject.declares(samples.listing.verb) {
      findings.expect(
        try await visible(samples), is: expected, "The next user sees something else.",
        "\(samples.feed.surface), switched during request \(held)")
    }
  }

  /// What the adapter remembers of the next user, and what is held about them.
  fileprivate func checkMemory(_ held: Int, _ findings: inout Findings) async throws {
    let context = try await context()
    let values =
      context.values.all(.user).map(\.value)
      + context.secrets.all(.user).map(\.value.revealed)
    let export = try await engagement.export(of: Stage.other).map { object in
      String(decoding: JSON.object(object).encoded(), as: UTF8.self)
    }
    for former in former + ["of-ada"] where (values + export).contains(where: { $0.holds(former) })
    {
      findings.note(
        "The next user is remembered with something of the former one's.",
        "switched during request \(held)")
    }
  }
}

extension HTTPRequest {
  /// Whether the text is anywhere in what is sent.
  func holds(_ text: String) -> Bool {
    let headers = headers.fields.map { $0.value.text ?? $0.value.secret?.revealed ?? "" }
    return ([url, self.text] + headers).contains { $0.holds(text) }
  }
}
