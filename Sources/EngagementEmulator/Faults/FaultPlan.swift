import EngagementVendors

/// A script under way: how many requests each fault has seen and struck.
struct FaultPlan: Sendable {
  let script: EmulatorFaults
  private var seen: [Int]
  private var struck: [Int]
  private var numbers: SeededNumbers

  init(_ script: EmulatorFaults, seed: UInt64) {
    self.script = script
    seen = Array(repeating: 0, count: script.faults.count)
    struck = seen
    // Not the numbers that the vendors' items came from.
    numbers = SeededNumbers(seed: seed ^ 0xfa17)
  }

  /// The fault that strikes a call: the first that matches. All that match count it.
  mutating func next(
    for call: VendorRequest, to vendor: String, opensSocket: Bool
  ) -> EmulatorFaults.Fault? {
    var chosen: EmulatorFaults.Fault?
    for (index, fault) in script.faults.enumerated()
    where fault.matches(call, to: vendor) && (opensSocket || !fault.kind.isOfSocket) {
      seen[index] += 1
      guard seen[index] >= fault.from, struck[index] < fault.times ?? .max else { continue }
      // One number for each decision, whether it is needed or not: faults do not sway each other.
      let salt = numbers.next()
      let isLikely = Double(salt >> 11) / Double(1 << 53) < fault.probability
      guard isLikely, chosen == nil else { continue }
      struck[index] += 1
      chosen = fault
      chosen?.salt = salt
    }
    return chosen
  }
}

extension EmulatorFaults.Fault {
  func matches(_ call: VendorRequest, to vendor: String) -> Bool {
    (self.vendor == nil || self.vendor == vendor) && (method == nil || method == call.method)
      && (path.map(call.path.hasPrefix) ?? true)
  }
}
