import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel

extension Law {
  static let failures = [
    malformedBodies, disguisedErrors, statuses, retryAfter, deadTransport, anyBytes,
  ]

  /// A recorded listing, for other answers to the same request.
  private struct Asked {
    let scenario: LawScenario
    let samples: ItemSamples
    let response: HTTPResponse
    let line: String
    let context: AdapterContext
    let shown: [String]

    /// Nil if no request lists the samples' feed.
    init?(_ samples: ItemSamples, _ subject: AdapterSubject) async throws {
      guard subject.declares(samples.listing.verb) else { return nil }
      scenario = try await LawScenario(subject)
      self.samples = samples
      // The item is added after a first listing: later listings may contain only changes.
      try await scenario.settle()
      await scenario.putOneItem()
      scenario.transport.forget()
      await scenario.execute(samples.listing)
      guard let request = scenario.transport.requests.last else { return nil }
      response = await scenario.server.answer(request)
      line = request.line
      context = try await scenario.context()
      shown = try await scenario.visible(samples)
    }

    /// The adapter's answer to another body.
    func answer(_ body: [UInt8]) -> Answer {
      let response = HTTPResponse(response.status, headers: response.headers, body: body)
      return scenario.adapter.answer(to: samples.listing, from: response, in: context)
    }

    /// The outcome if every request has this fault.
    func outcome(_ kind: FaultScript.Kind) async -> OperationRunner.Outcome {
      scenario.network.load(FaultScript([.init(kind, times: nil)]))
      return await scenario.execute(samples.listing)
    }

    /// The outcome of a refresh if the listing has this fault. The item has another place before: the
    /// vendor may answer without a body for a list that is unchanged.
    func refreshed(
      _ kind: FaultScript.Kind, place: Int
    ) async throws -> OperationRunner.Outcome {
      await scenario.server.put(
        [samples.item(AdapterSubject.itemID, place)], in: samples.feed, for: LawScenario.user)
      scenario.network.load(FaultScript([.init(kind, on: line, times: nil)]))
      return try await scenario.refresh(samples)
    }

    /// Whether every item is still visible.
    var isIntact: Bool {
      get async throws { try await scenario.visible(samples) == shown }
    }
  }

  /// The meaning of a body is a function of it, so the law passes most bodies to the adapter
  /// directly. A few go over the transport, to check that no item is lost.
  private static let malformedBodies = Law(
    "failures.malformed", "an empty, truncated or wrong answer is a failure and never an empty list"
  ) { subject, findings in
    for samples in subject.items {
      guard let asked = try await Asked(samples, subject) else { continue }
      let body = asked.response.body
      let wrong = body.first == UInt8(ascii: "[") ? "{}" : "[]"
      let bodies =
        ["", " ", "{", "null", "true", "1", "\"text\"", "<html></html>", wrong].map {
          Array($0.utf8)
        } + [1, body.count / 4, body.count / 2, body.count - 1].map { Array(body.prefix($0)) }
        + [[0xff, 0xfe], [0xef, 0xbb, 0xbf] + body]
      for body in bodies {
        let answer = asked.answer(body)
        let text = String(decoding: body.prefix(20), as: UTF8.self)
        findings.expect(
          answer.verdict.code == .malformedResponse, "A malformed answer is not reported as one.",
          "\(samples.feed.surface) \(text): \(answer.verdict)")
        findings.expect(
          !answer.changes.contains(where: \.takesItemsAway), "A malformed answer removes items.",
          "\(samples.feed.surface) \(text)")
      }
      // Invalid UTF-8 alone may remove an item or a member, but not the answer.
      let kinds: [FaultScript.Kind] = [.truncate(0), .truncate(body.count / 2), .wrongType]
      for (index, kind) in kinds.enumerated() {
        let outcome = try await asked.refreshed(kind, place: index + 1)
        findings.expect(
          outcome.error?.code, is: .malformedResponse, "A malformed answer is not reported as one.",
          "\(samples.feed.surface) \(kind)")
        findings.expect(
          try await asked.isIntact, "A malformed answer removes items.",
          "\(samples.feed.surface) \(kind)")
      }
    }
  }

  private static let disguisedErrors = Law(
    "failures.disguised", "an error inside a 200 is an error",
    where: \.hasDisguisedErrors
  ) { subject, findings in
    for error in subject.disguisedErrors {
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let before = subject.items.map(scenario.look)
      scenario.answer(with: HTTPResponse(200, body: error.body))
      let outcome = await scenario.execute(error.operation)
      findings.expect(
        outcome.error?.code, is: error.code, "A refusal with status 200 counts as a success.",
        error.operation.verb.rawValue)
      findings.expect(
        subject.items.map(scenario.look) == before, "A refusal removes items.",
        error.operation.verb.rawValue)
    }
  }

  // MARK: Statuses

  private static let codes: [(Int, EngagementError.Code)] = [
    (400, .invalidArgument), (403, .permissionDenied), (404, .notFound), (408, .unavailable),
    (409, .conflict), (413, .invalidArgument), (429, .rateLimited), (500, .unavailable),
    (502, .unavailable), (503, .unavailable), (504, .unavailable),
  ]

  private static let statuses = Law(
    "failures.statuses", "each status has its code, and the code decides whether to retry"
  ) { subject, findings in
    for samples in subject.items {
      // Each status gets a new scenario, since any of them may delay later requests.
      for (status, usual) in codes {
        guard let asked = try await Asked(samples, subject) else { continue }
        let code = subject.statusCodes[status] ?? usual
        let outcome = await asked.outcome(.status(status))
        findings.expect(outcome.error?.code, is: code, "A status has the wrong code.", "\(status)")
        findings.expect(
          outcome.isRetry, is: code.mayRetry, "The retry of a status contradicts its code.",
          "\(status)")
        findings.expect(try await asked.isIntact, "A status removes items.", "\(status)")
      }
      guard let asked = try await Asked(samples, subject) else { continue }
      let outcome = await asked.outcome(.status(401))
      findings.expect(
        outcome.error?.code, is: subject.statusCodes[401] ?? .unauthenticated,
        "A refused credential is not reported as one.")
    }
  }

  private static let retryAfter = Law(
    "failures.retry-after", "Retry-After is read in seconds and as a date, and garbage is ignored"
  ) { subject, findings in
    let table: [(String, Duration?)] = [
      ("120", .seconds(120)), ("Thu, 01 Oct 2026 09:02:00 GMT", .seconds(120)), ("soon", nil),
      ("-5", nil), ("1.5", nil),
    ]
    for samples in subject.items {
      for status in [429, 503] {
        for (value, delay) in table {
          guard let asked = try await Asked(samples, subject) else { continue }
          let outcome = await asked.outcome(.status(status, retryAfter: value))
          findings.expect(
            outcome.error?.retryAfter, is: delay, "Retry-After gives the wrong delay.",
            "\(status) \(value)")
        }
      }
    }
  }

  private static let deadTransport = Law(
    "failures.dead-transport",
    "without a network nothing is lost, and every operation works afterwards"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let before = try await scenario.visible(samples)
      scenario.network.load(FaultScript([.init(.resetBefore, times: nil)]))
      let outcome = try await scenario.refresh(samples)
      if !outcome.isRetry || outcome.error?.code != .unavailable {
        findings.note(
          "A dead network is not reported as one.", "\(samples.listing.verb): \(outcome)")
      }
      findings.expect(
        try await scenario.visible(samples), is: before, "A dead network removes items.")
      scenario.network.load(FaultScript())
      let again = try await scenario.refresh(samples)
      findings.expect(
        again, is: .done, "An operation fails after the network returns.",
        samples.listing.verb.rawValue)
    }
  }

  // MARK: Any bytes

  /// An answer depends only on the response and the context, so the law calls the adapter directly.
  private static let anyBytes = Law(
    "failures.any-bytes", "any bytes have one meaning for each operation"
  ) { subject, findings in
    let scenario = try await LawScenario(subject)
    try await scenario.furnish()
    let (context, adapter) = (try await scenario.context(), scenario.adapter)
    var random = SplitMix64(seed: 12)
    for operation in AdapterSubject.anything + subject.operations {
      for status in [200, 201, 204, 304, 400, 401, 403, 404, 409, 410, 429, 500, 0, -1, 999] {
        let body = random.bytes(below: 64)
        let response = HTTPResponse(status, body: body)
        let answer = adapter.answer(to: operation, from: response, in: context)
        findings.expect(
          answer == adapter.answer(to: operation, from: response, in: context),
          "One response has two meanings.", "\(operation.verb) \(status)")
      }
    }
  }
}

extension Verdict {
  /// The error of a failure.
  var error: EngagementError? {
    switch self {
    case .retry(let error), .refused(let error): error
    case .done, .partly, .renew: nil
    }
  }

  var code: EngagementError.Code? { error?.code }
}

extension Change {
  /// Whether the change can remove items.
  var takesItemsAway: Bool {
    switch self {
    case .items(_, .replace, _), .removed: true
    case .items, .unchanged, .person, .settings, .metrics, .total, .settled, .happened,
      .campaignsReported, .abandoned, .throttled, .paused, .ignored, .keep, .secret, .wanted,
      .pushToken:
      false
    }
  }
}

extension SplitMix64 {
  /// Fewer than `count` random bytes.
  mutating func bytes(below count: Int) -> [UInt8] {
    (0..<Int.random(in: 0..<count, using: &self)).map { _ in
      .random(in: .min ... .max, using: &self)
    }
  }
}
