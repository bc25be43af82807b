import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel

extension Law {
  static let conduct = [cancellation, hundredCalls, stopping, noSecret]

  private static let cancellation = Law(
    "conduct.cancellation", "a cancelled operation ends at once and can be repeated"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let ways: [@Sendable (LawScenario) async throws -> OperationRunner.Outcome] = [
        { try await $0.refresh(samples) }, { await $0.execute(samples.listing) },
      ]
      for ask in ways {
        let scenario = try await LawScenario(subject)
        // Prerequisites run first, so that the cancellation strikes the operation itself.
        try await scenario.refresh(samples)
        scenario.transport.forget()
        let outcome = try await scenario.cancelled { try await ask(scenario) }
        findings.expect(
          outcome.error?.code == .cancelled, "A cancelled operation continues.",
          "\(samples.listing.verb): \(outcome)")
        findings.expect(
          scenario.transport.lines.count, is: 1, "A request is sent after a cancellation.",
          samples.listing.verb.rawValue)
        let again = try await ask(scenario)
        findings.expect(
          again, is: .done, "A cancelled operation cannot be repeated.",
          samples.listing.verb.rawValue)
      }
    }
  }

  private static let hundredCalls = Law(
    "conduct.hundred-calls", "a hundred concurrent calls all succeed"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let scenario = try await LawScenario(subject)
      await scenario.server.put([samples.item("a", 0)], in: samples.feed, for: LawScenario.user)
      try await scenario.refresh(samples)
      async let refreshed = scenario.refresh(samples, times: 50)
      async let exchanged = scenario.execute(Array(repeating: samples.listing, count: 50))
      let outcomes = try await refreshed + exchanged
      let failed = outcomes.filter { $0.error != nil }
      findings.expect(
        failed.isEmpty && outcomes.count == 100, "Some concurrent calls fail.",
        "\(failed.count) of \(samples.listing.verb)")
      findings.expect(
        try await scenario.visible(samples), is: ["a"], "Concurrent calls change the feed.")
    }
  }

  // MARK: Stopping

  private static let stopping = Law(
    "conduct.stop", "stopping is safe before the start and twice, and loses nothing"
  ) { subject, findings in
    let unused = try await LawScenario(subject, signsIn: false)
    for _ in 0..<2 { try await unused.engagement.suspend() }
    for _ in 0..<2 { try await unused.engagement.resume() }
    for _ in 0..<2 { try await unused.engagement.close() }
    findings.expect(unused.transport.lines, is: [], "Stopping sends a request.")
    for (samples, action, verb) in subject.actions
    where subject.capabilities.ability(verb).travel != .localOnly {
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let before = await scenario.effects().count
      guard let receipt = try await scenario.act(action, of: samples, &findings) else { continue }
      try await scenario.stopTwice()
      findings.expect(
        try await scenario.outcome(of: receipt), is: .done,
        "An action that was pending at the stop is lost.", verb.rawValue)
      let count = await scenario.effects().count - before
      findings.expect(
        count == 1 || count == 2 && !subject.deduplicates(verb),
        "An action that was pending at the stop takes effect \(count) times.", verb.rawValue)
      for _ in 0..<2 { try await scenario.engagement.close() }
      let error = await scenario.running { try await scenario.engagement.run() }
      findings.expect(error?.code, is: .conflict, "A closed engagement runs.")
    }
  }

  // MARK: Secrets

  private static let noSecret = Law(
    "conduct.no-secret",
    "no secret is in any description, error, event, log line, recording, export or file"
  ) { subject, findings in
    for status in [200, 400, 401, 403, 500] {
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let secrets = try await scenario.secrets()
      // The vendor's answer quotes every secret of the scenario.
      scenario.answer(
        with: HTTPResponse(status, body: Array(secrets.joined(separator: " ").utf8)))
      var said = try await scenario.descriptions(of: status)
      for operation in subject.examples + subject.items.map(\.listing) {
        let outcome = try await scenario.perform(operation)
        said.append((operation.verb.rawValue, "\(outcome) \(String(reflecting: outcome))"))
      }
      for (samples, action, verb) in subject.actions {
        guard let receipt = try await scenario.act(action, of: samples, &findings) else { continue }
        try await scenario.deliver()
        said.append((verb.rawValue, "\(try await scenario.outcome(of: receipt))"))
      }
      said += try await scenario.written()
      for (place, text) in said where secrets.contains(where: text.holds) {
        findings.note("A secret is in a text.", "\(place), answered with \(status)")
      }
      for secret in secrets {
        for file in try scenario.folder.files(holding: secret) {
          findings.note("A secret is in a file.", "\(file), answered with \(status)")
        }
      }
    }
  }
}

extension LawScenario {
  /// Executes the operation and cancels it while the vendor's answer is held.
  fileprivate func cancelled(
    _ body: @escaping @Sendable () async throws -> OperationRunner.Outcome
  ) async throws -> OperationRunner.Outcome {
    hold()
    let isOver = Locked(false)
    return try await withThrowingTaskGroup(of: OperationRunner.Outcome.self) { group in
      group.addTask {
        defer { isOver.withLock { $0 = true } }
        return try await body()
      }
      await isStill(1) { isOver.withLock { $0 ? 1 : 0 } }
      group.cancelAll()
      return try await group.next() ?? .done
    }
  }

  fileprivate func refresh(
    _ samples: ItemSamples, times: Int
  ) async throws -> [OperationRunner.Outcome] {
    try await withThrowingTaskGroup(of: OperationRunner.Outcome.self) { group in
      for _ in 0..<times { group.addTask { try await refresh(samples) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Runs, stops while a vendor's answer is held, suspends and resumes, then runs again until
  /// everything is delivered.
  fileprivate func stopTwice() async throws {
    hold()
    await run {
      if held > 0 { return true }
      return (try? await pending) == 0
    }
    for _ in 0..<2 { try await engagement.suspend() }
    for _ in 0..<2 { try await engagement.resume() }
    await run { (try? await pending) == 0 }
  }

  /// Runs until the condition holds.
  private func run(until isDone: @escaping @Sendable () async -> Bool) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await running { try await engagement.run() } }
      while await !isDone() {
        await Task.yield()
        clock.advance(by: .milliseconds(10))
      }
      group.cancelAll()
    }
  }

  /// The error that the body throws.
  fileprivate func running(
    _ body: () async throws -> Void
  ) async -> EngagementError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? EngagementError
    }
  }

  // MARK: Secrets

  /// Every secret that must never be revealed.
  fileprivate func secrets() async throws -> [String] {
    let credentials = LawScenario.user.id.map { id in
      (1...9).compactMap { subject.credential(id, $0)?.revealed }
    }
    let context = try await context()
    let kept = [Scope.installation, .user].flatMap { context.secrets.all($0).map(\.value.revealed) }
    let tokens = PushEnvironment.allCases.map { Self.pushToken(for: $0).token.revealed }
    return (credentials ?? []) + kept + tokens + subject.secrets.map(\.revealed)
  }

  /// All of Swift's descriptions of the adapter, its inputs and its outputs.
  fileprivate func descriptions(of status: Int) async throws -> [(String, String)] {
    let context = try await context()
    let body = Array(try await secrets().joined(separator: " ").utf8)
    var said = [("adapter", described(adapter)), ("context", described(context))]
    for operation in subject.examples + subject.items.map(\.listing) {
      do throws(EngagementError) {
        said.append(
          (operation.verb.rawValue, described(try adapter.step(for: operation, in: context))))
      } catch {
        said.append((operation.verb.rawValue, described(error)))
      }
      let answer = adapter.answer(
        to: operation, from: HTTPResponse(status, body: body), in: context)
      said.append(("the answer to \(operation.verb)", described(answer)))
    }
    return said
  }

  private func described(_ value: some Any) -> String {
    var text = "\(value) \(String(reflecting: value)) "
    dump(value, to: &text)
    return text
  }

  /// All written records: log lines, the ledger, the data export and the recorded requests.
  fileprivate func written() async throws -> [(String, String)] {
    var written = [("the engagement", described("\(engagement)"))]
    written += lines.all.map { ("a log line", $0.message) }
    written += try await engagement.events().map { ("an event", described($0)) }
    written += try await engagement.exportData(of: LawScenario.user).map { object in
      ("the export", String(decoding: JSON.object(object).encoded(), as: UTF8.self))
    }
    written += transport.requests.map { ("a recorded request", described($0)) }
    return written
  }
}
