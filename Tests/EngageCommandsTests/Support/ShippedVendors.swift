import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCleverTapTools
import EngagementVendors
import EngagementVibesTools

@testable import EngageCommands

extension [VendorRegistration] {
  /// The vendors of the program `engage`.
  static let shipped: [VendorRegistration] = [.braze, .vibes, .cleverTap, .atomic]
}

extension Command {
  /// The commands of the program `engage`.
  static let all = Command.all(for: .shipped)
}
