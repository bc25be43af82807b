import EngagementVendors

/// What came, as far as it is remembered.
struct RequestRecord: Sendable {
  /// An emulator that runs for weeks must not fill the memory.
  private static let limit = 100_000

  private var last: [EmulatorRequest] = []
  private(set) var count = 0
  /// How often each effect happened; nothing of it is forgotten.
  private(set) var effects: [VendorEffect: Int] = [:]

  /// The requests that are remembered and have a higher number.
  func requests(after number: Int) -> [EmulatorRequest] {
    Array(last.suffix(min(Self.limit, max(0, count - max(0, number)))))
  }

  /// Forgets everything but the number of the last request: who asks for those after it goes on.
  mutating func forget() { (last, effects) = ([], [:]) }

  /// Appends a request with the next number.
  mutating func append(_ request: EmulatorRequest) {
    count += 1
    var request = request
    request.number = count
    last.append(request)
    // Twice the limit, so that moving what is left is rare.
    if last.count >= 2 * Self.limit { last.removeFirst(Self.limit) }
    for effect in request.effects { effects[effect, default: 0] += 1 }
  }
}
