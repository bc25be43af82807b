import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// How far the execution of one operation has come.
struct OperationProgress {
  let operation: Operation
  let attempt: Attempt
  let depth: Int
  let rows: [OutboxRow.ID]
  let event: OperationRunner.EventMaker?
  var hasRenewed = false
  /// Whether a request was sent and not answered yet.
  var isUnderWay = false
  private var spent = 0
  private var repeats = 0
  private var execution = OperationRunner.Execution(outcome: .done)

  init(
    _ operation: Operation, _ attempt: Attempt, depth: Int, rows: [OutboxRow.ID] = [],
    recording event: OperationRunner.EventMaker? = nil
  ) {
    self.operation = operation
    self.attempt = attempt
    self.depth = depth
    self.rows = rows
    self.event = event
  }

  func preparation(_ work: OperationRunner.Preparation.Work) -> OperationRunner.Preparation {
    OperationRunner.Preparation(user: attempt.user, generation: attempt.generation, work: work)
  }

  /// The start of a prerequisite.
  func start(of operation: Operation) -> OperationProgress {
    OperationProgress(operation, attempt.preparing(for: self.operation.verb), depth: depth + 1)
  }

  mutating func spend() -> Bool {
    spent += 1
    return spent + depth <= OperationRunner.budget
  }

  /// Counts a repeat of a request during which the live channel brought items. False if there were two
  /// already: a busy channel must not hold the operation up.
  mutating func spendRepeat() -> Bool {
    guard case .cards = operation else { return false }
    repeats += 1
    return repeats <= 2
  }

  /// A request is about to be sent.
  mutating func noteRequest() {
    isUnderWay = true
    execution.wasSent = true
  }

  mutating func note(_ changes: [Change]) {
    for change in changes {
      switch change.news {
      case .new: execution.hasNews = true
      case .unchanged: execution.isUnchanged = true
      case .none: break
      }
    }
  }

  /// A renewal that needs a renewal would never end.
  func isRenewal(_ parent: OperationRunner.Preparation?) -> Bool {
    if case .renewal = parent?.work { true } else { false }
  }

  var cancelled: OperationRunner.Outcome {
    .cancelled(naming(EngagementError(.cancelled, "It was cancelled.")), wasSent: isUnderWay)
  }

  func naming(_ error: EngagementError) -> EngagementError {
    var error = error
    error.operation = error.operation ?? operation.verb.rawValue
    return error
  }

  func ended(_ outcome: OperationRunner.Outcome) -> OperationRunner.Execution {
    var execution = execution
    execution.outcome = outcome
    return execution
  }

  func outcome(of error: EngagementError) -> OperationRunner.Outcome {
    if error.code == .cancelled { return .cancelled(naming(error), wasSent: isUnderWay) }
    return error.code.mayRetry ? .retry(naming(error)) : .refused(naming(error))
  }

  /// The codes of a refusal that names one request. It is none of the operation that waited for
  /// that request: this is tried again later.
  private static let areOfVendor: Set<EngagementError.Code> = [
    .invalidArgument, .notFound, .permissionDenied, .conflict,
  ]

  /// Nil to go on. A prerequisite that failed stops the operation too.
  func outcome(
    of completion: SingleFlight<OperationRunner.Preparation, OperationRunner.Execution>.Completion
  ) throws(EngagementError) -> OperationRunner.Outcome? {
    switch completion {
    case .completed(let execution):
      switch execution.outcome {
      case .done, .partly: return nil
      case .refused(let error) where Self.areOfVendor.contains(error.code): return .retry(error)
      case .wait, .retry, .refused, .cancelled: return execution.outcome
      }
    // Ask again: the loop notices when it is this task that was cancelled.
    case .abandoned: return nil
    case .circular:
      throw EngagementError(.internalFailure, "A prerequisite needs itself.")
    }
  }
}

extension Change {
  fileprivate enum News {
    /// The application sees something new.
    case new
    /// The vendor said that a feed is unchanged.
    case unchanged
    /// Only an adapter or the outbox is concerned.
    case none
  }

  fileprivate var news: News {
    switch self {
    case .items, .removed, .person, .settings, .metrics, .total: .new
    case .unchanged: .unchanged
    case .settled, .happened, .campaignsReported, .abandoned, .throttled, .paused, .ignored, .keep,
      .secret,
      .wanted, .pushToken:
      .none
    }
  }
}
