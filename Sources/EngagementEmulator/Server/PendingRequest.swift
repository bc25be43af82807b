import EngagementModel
import EngagementVendors

/// One request and its answer, while the HTTP library has them.
final class PendingRequest: Sendable {
  struct State {
    var method: String?
    var body: [UInt8] = []
    var isTooLong = false
    /// What is left to do when the library comes back for the answer.
    var outcome: Outcome?
  }

  enum Outcome {
    case answer(VendorReply)
    /// The connection was ended by hand.
    case over
  }

  let target: String
  let state = Locked(State())

  init(target: String) { self.target = target }

  /// Takes a part of the body, up to a limit for the whole.
  func receive(_ part: UnsafeRawBufferPointer, limit: Int) {
    state.withLock { state in
      state.isTooLong = state.isTooLong || state.body.count + part.count > limit
      if !state.isTooLong { unsafe state.body.append(contentsOf: part) }
    }
  }
}
