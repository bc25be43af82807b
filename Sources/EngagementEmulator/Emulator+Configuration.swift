import EngagementModel
public import EngagementPlatform
public import EngagementVendors

extension Emulator {
  /// Which vendors, where, and with which beginning.
  public struct Configuration: Sendable {
    /// The vendors that the emulator knows.
    public var registrations: [VendorRegistration]
    /// The names of those to start; unknown ones are refused at the start.
    public var vendors: [String]
    public var ports: Ports
    /// What the vendors hold at the beginning follows from it.
    public var seed: UInt64
    /// How many items each vendor has at least, as far as it has items and keeps so many.
    public var itemCount: Int
    /// What goes wrong; nothing where it is nil.
    public var faults: EmulatorFaults?
    /// A clock that stands still here until it is advanced; nil for the machine's own.
    public var clock: Date?
    /// The file in which the vendors are kept from one start to the next; nil to forget them at the
    /// end. The file's seed goes before the other.
    public var state: String?

    /// - Parameter vendors: The names of those to start; nil starts each that has a server.
    public init(
      _ registrations: [VendorRegistration], vendors: [String]? = nil, ports: Ports = .any,
      seed: UInt64 = 1, itemCount: Int = 0, faults: EmulatorFaults? = nil, clock: Date? = nil,
      state: String? = nil
    ) {
      self.registrations = registrations
      self.vendors = vendors ?? registrations.filter { $0.server != nil }.map(\.name)
      self.ports = ports
      self.seed = seed
      self.itemCount = itemCount
      self.faults = faults
      self.clock = clock
      self.state = state
    }

    /// The names of the vendors that have a server.
    var served: [String] { registrations.filter { $0.server != nil }.map(\.name) }

    /// The port of a vendor or of `control`; 0 for any.
    func port(of name: String) -> Int {
      ports.number(of: name, among: registrations)
    }

    /// Throws for a vendor without a server, for one that is named twice and for a fault of an
    /// unknown vendor.
    func check() throws(EngagementError) {
      try faults?.check(vendors: served)
      for (index, registration) in registrations.enumerated()
      where registrations[..<index].contains(where: { $0.name == registration.name }) {
        throw EngagementError(
          .invalidConfiguration, "The vendor \"\(registration.name)\" is registered twice")
      }
      for (index, vendor) in vendors.enumerated() {
        guard served.contains(vendor) else {
          throw EngagementError(
            .invalidConfiguration,
            "There is no emulator of \"\(vendor)\"\(NearestName.hint(for: vendor, among: served))")
        }
        guard !vendors[..<index].contains(vendor) else {
          throw EngagementError(.invalidConfiguration, "The vendor \"\(vendor)\" is named twice")
        }
      }
    }
  }

  /// The ports that the servers listen on.
  public struct Ports: Sendable {
    /// The port where the standard order begins; nil for any that are free.
    private let first: Int?
    private var chosen: [String: Int] = [:]

    private static let standardFirst = 8400
    private static let control = 8409

    /// A free port for each.
    public static let any = Ports(first: nil)

    /// The ports of the registrations, and 8409 for control.
    public static let standard = Ports(first: standardFirst)

    private init(first: Int?) { self.first = first }

    /// Neighbouring ports in the standard order from a first one on; control is the tenth.
    public static func from(_ first: Int) -> Ports { Ports(first: first) }

    /// The same with another port for a vendor, or for `control`; 0 for any that is free.
    public func with(_ port: Int, for name: String) -> Ports {
      var changed = self
      changed.chosen[name] = port
      return changed
    }

    /// The port of a vendor or of `control`; 0 for any.
    public func number(of name: String, among vendors: [VendorRegistration]) -> Int {
      if let port = chosen[name] { return port }
      let isControl = name == ListenerGroup.control
      let standard = isControl ? Self.control : vendors.first { $0.name == name }?.port
      guard let first, let standard else { return 0 }
      return standard - Self.standardFirst + first
    }
  }
}
