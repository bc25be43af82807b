import EngagementAnalytics
import EngagementModel

/// Whether people are named alike on all devices, by their exported events. Where each cache has its own
/// salt, no person has the same hash on several devices.
struct DeviceHashes {
  /// The device on which each hash was seen first, both by numbers. Two of them rarely have one number.
  private var devices: [Int: Int] = [:]
  private var all: Set<Int> = []
  private var isShared = false
  private var (hasIDs, hasHashes) = (false, false)
  /// The devices that a database has counted.
  private var counted = 0

  init() {}

  /// - Parameter apart: The number of devices, if no person is on two of them; otherwise 0.
  init(apart: Int) { counted = apart }

  mutating func add(_ event: borrowing EventRecord) {
    guard case .text(let user) = event[.user] else { return }
    guard Self.isHash(user) else {
      hasIDs = true
      return
    }
    hasHashes = true
    guard !isShared, case .text(let source) = event[.source] else { return }
    let (person, device) = (user.hashValue, source.hashValue)
    all.insert(device)
    guard let first = devices[person], first != device else {
      devices[person] = device
      return
    }
    isShared = true
    devices = [:]
  }

  /// As the export writes it: SHA-256 in hexadecimal digits.
  static func isHash(_ text: [UInt8]) -> Bool {
    text.count == 64 && text.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// What a reader of the events has to know; nil if people have one hash on several devices, or if there
  /// is one device.
  var note: String? {
    if hasIDs, hasHashes {
      return
        "Some events name users by ids and others by hashes: a person in both counts twice. Export "
        + "all devices with one --user-hash-key, or all with --user-ids."
    }
    let devices = max(all.count, counted)
    guard !isShared, devices > 1 else { return nil }
    return
      "No person is on two of the \(devices) devices. Unless all of them export with one --user-hash-key, "
      + "each hides its users with a salt of its own, and a person on two devices counts twice."
  }
}
