import EngagementEmulator
import EngagementKit
import EngagementModel

extension Command {
  private static let vendor = Option(
    "vendor", value: "NAME", "only this vendor", choices: Emulator.vendors, repeats: true)
  private static let port = Option(
    "port", value: "NUMBER",
    "the first of ten ports (default 8400): Braze's, then Vibes's, CleverTap's and Atomic's; the "
      + "last is control's; 0 takes any that are free")
  private static let seed = Option(
    "seed", value: "NUMBER", "what the vendors hold follows from it (default 1)")
  private static let faults = Option(
    "faults", value: "FILE", "a script of what goes wrong", completion: .files)

  static let emulate = Command(
    name: ["emulate"], summary: "run the vendors' servers on this machine, until Ctrl-C",
    discussion: """
      They listen on 127.0.0.1 alone, keep what they are told and lose it when they end. The
      control interface, under /_emulator/, wants the token that is printed here.
      """,
    options: [vendor, port, seed, faults],
    examples: [
      Example("engage emulate", "every vendor that there is a server for"),
      Example("engage emulate --vendor braze --port 9000", "one vendor, elsewhere"),
      Example("engage emulate --faults faults.json --seed 7", "with a script of faults"),
    ], isInterruptible: true,
    run: { invocation in
      let emulator = try await Emulator.start(try configuration(invocation))
      do {
        try announce(emulator, invocation)
        while !Task.isCancelled {
          let clock = invocation.surroundings.clock
          await clock.sleep(until: clock.uptime + .seconds(3_600))
        }
      } catch {
        await emulator.stop()
        throw error
      }
      let count = await emulator.requests().count
      await emulator.stop()
      invocation.console.note("\(count) requests came.")
      return .done
    })

  private static func configuration(
    _ invocation: Invocation
  ) throws -> Emulator.Configuration {
    let vendors = invocation.values(vendor)
    let script = try invocation.value(faults).map { file in
      try EmulatorFaults(document: try invocation.bytes(of: file))
    }
    return Emulator.Configuration(
      vendors: vendors.isEmpty ? Emulator.vendors : vendors, ports: try ports(invocation),
      seed: UInt64(try invocation.number(seed, in: 0...Int.max) ?? 1), faults: script)
  }

  private static func ports(_ invocation: Invocation) throws -> Emulator.Ports {
    guard let first = try invocation.number(port, in: 0...65_526) else { return .standard }
    return first == 0 ? .any : .from(first)
  }

  private static func announce(_ emulator: Emulator, _ invocation: Invocation) throws {
    let console = invocation.console
    let vendors = invocation.values(vendor)
    for name in vendors.isEmpty ? Emulator.vendors : vendors {
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
