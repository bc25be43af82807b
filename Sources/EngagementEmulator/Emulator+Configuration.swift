import EngagementModel

public import struct FoundationEssentials.Date

extension Emulator {
  /// Which vendors, where, and with which beginning.
  public struct Configuration: Sendable {
    /// The vendors to start; unknown ones are refused at the start.
    public var vendors: [String]
    public var ports: Ports
    /// What the vendors hold at the beginning follows from it.
    public var seed: UInt64
    /// What goes wrong; nothing where it is nil.
    public var faults: EmulatorFaults?
    /// A clock that stands still here until it is advanced; nil for the machine's own.
    public var clock: Date?

    public init(
      vendors: [String] = Emulator.vendors, ports: Ports = .any, seed: UInt64 = 1,
      faults: EmulatorFaults? = nil, clock: Date? = nil
    ) {
      self.vendors = vendors
      self.ports = ports
      self.seed = seed
      self.faults = faults
      self.clock = clock
    }

    /// Throws for a vendor that there is no server for and for one that is named twice.
    func check() throws(EngagementError) {
      for (index, vendor) in vendors.enumerated() {
        guard VendorTable.names.contains(vendor) else {
          throw EngagementError(
            .invalidConfiguration,
            "There is no emulator of \"\(vendor)\"\(Nearest.hint(vendor, VendorTable.names))")
        }
        guard !vendors[..<index].contains(vendor) else {
          throw EngagementError(.invalidConfiguration, "The vendor \"\(vendor)\" is named twice")
        }
      }
    }
  }

  /// The ports that the servers listen on.
  public struct Ports: Sendable {
    private var numbers: [String: Int]

    /// A free port for each.
    public static let any = Ports(numbers: [:])

    /// The ports of the command line: Braze 8400, Vibes 8401, CleverTap 8402, Atomic 8403 and
    /// 8409 for control.
    public static let standard = Ports(numbers: [
      "braze": 8400, "vibes": 8401, "clevertap": 8402, "atomic": 8403, ServerHouse.control: 8409,
    ])

    /// Neighbouring ports in the standard order from a first one on; control is the tenth.
    public static func from(_ first: Int) -> Ports {
      Ports(numbers: standard.numbers.mapValues { $0 - 8400 + first })
    }

    /// The same with another port for a vendor, or for `control`; 0 for any that is free.
    public func with(_ port: Int, for name: String) -> Ports {
      var changed = self
      changed.numbers[name] = port
      return changed
    }

    /// The port of a vendor or of `control`; 0 for any.
    public func number(of name: String) -> Int { numbers[name] ?? 0 }
  }
}
