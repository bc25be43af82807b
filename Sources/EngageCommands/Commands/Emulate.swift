import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  private static let vendor = Option("vendor", value: "NAME", "only this vendor", repeats: true)
  private static let port = Option("port", value: "NUMBER", "the first of ten ports")
  private static let seed = Option(
    "seed", value: "NUMBER", "the seed of the made-up cards and messages (default 1)")
  private static let faults = Option(
    "faults", value: "FILE", "a fault script", completion: .files)

  static func emulate(_ vendors: [VendorRegistration]) -> Command {
    var (vendor, port) = (vendor, port)
    vendor.choices = vendors.served.map(\.name)
    port.help += " (default 8400: \(ports(of: vendors.served))); 0 takes free ports"
    return Command(
      name: ["emulate"], summary: "run the vendors' servers on this machine, until Ctrl-C",
      discussion: """
        They listen on 127.0.0.1 only, and their data is lost when they stop. The control
        interface, under /_emulator/, requires the token that is printed at the start.
        """,
      options: [vendor, port, seed, faults],
      examples: [
        Example("engage emulate", "every vendor"),
        Example(
          "engage emulate --vendor \(vendors.served.first?.name ?? "NAME") --port 9000",
          "one vendor, on another port"),
        Example("engage emulate --faults faults.json --seed 7", "with a script of faults"),
      ], isInterruptible: true,
      run: { invocation in
        let emulator = try await Emulator.start(try configuration(invocation))
        do {
          try announce(emulator, invocation)
          while !Task.isCancelled {
            let clock = invocation.context.clock
            await clock.sleep(until: clock.uptime + .seconds(3_600))
          }
        } catch {
          await emulator.stop()
          throw error
        }
        let count = await emulator.requests().count
        await emulator.stop()
        invocation.console.note("Requests received: \(count).")
        return .done
      })
  }

  /// Such as `Braze 8400, Vibes 8401, control 8409`.
  private static func ports(of vendors: [VendorRegistration]) -> String {
    let ports = Emulator.Ports.standard
    let names = vendors.map { ($0.title, $0.name) } + [("control", "control")]
    return names.map { "\($0.0) \(ports.number(of: $0.1, among: vendors))" }
      .joined(separator: ", ")
  }

  private static func chosen(_ invocation: Invocation) -> [String] {
    let names = invocation.values(vendor)
    return names.isEmpty ? invocation.vendors.served.map(\.name) : names
  }

  private static func configuration(
    _ invocation: Invocation
  ) throws -> Emulator.Configuration {
    let script = try invocation.value(faults).map { file in
      try EmulatorFaults(document: try invocation.bytes(of: file))
    }
    return Emulator.Configuration(
      invocation.vendors, vendors: chosen(invocation), ports: try ports(invocation),
      seed: UInt64(try invocation.number(seed, in: 0...Int.max) ?? 1), faults: script)
  }

  private static func ports(_ invocation: Invocation) throws -> Emulator.Ports {
    guard let first = try invocation.number(port, in: 0...65_526) else { return .standard }
    return first == 0 ? .any : .from(first)
  }

  private static func announce(_ emulator: Emulator, _ invocation: Invocation) throws {
    let console = invocation.console
    for name in chosen(invocation) {
      let endpoint = emulator.endpoint(of: name)
      try console.line("\(name, .bold): \(endpoint)")
      try console.object(["vendor": .string(name), "endpoint": .string(endpoint)])
    }
    let token = emulator.controlToken.revealed
    try console.line("control: \(emulator.controlEndpoint)/_emulator/  token \(token)")
    try console.object([
      "control": .string(emulator.controlEndpoint + "/_emulator/"), "token": .string(token),
    ])
    console.note("Press Ctrl-C to stop.")
  }
}
