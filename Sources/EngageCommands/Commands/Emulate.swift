import EngagementEmulator
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  private static let vendor = Option("vendor", value: "NAME", "only this vendor", repeats: true)
  private static let port = Option("port", value: "NUMBER", "the first of ten ports")
  private static let seed = Option(
    "seed", value: "NUMBER", "the seed of the made-up cards and messages (default 1)")
  private static let cards = Option(
    "cards", value: "NUMBER",
    "make up more cards and messages, until each vendor has so many or all that it keeps")
  private static let faults = Option(
    "faults", value: "FILE", "a fault script", completion: .files)

  private static let stateFile = Option(
    "state", value: "FILE", "a file that keeps what the vendors know from one start to the next",
    completion: .files)
  private static let quiet = Option("quiet", "do not list the requests")

  static func emulate(_ vendors: [VendorRegistration]) -> Command {
    var (vendor, port) = (vendor, port)
    vendor.choices = vendors.served.map(\.name)
    port.help += " (default 8400: \(ports(of: vendors.served))); 0 takes free ports"
    return Command(
      name: ["emulate"], summary: "run the vendors' servers on this machine, until Ctrl-C",
      discussion: """
        They listen on 127.0.0.1 only, take any key and any application id, and list each request
        with what it meant. Their data is lost when they stop, unless --state names a file for it:
        after a start without it they know no user and no session any more. The file has keys and
        tokens, and only you can read it. The control interface, under /_emulator/, drops web
        sockets, lets tokens expire, sets faults and the clock, and changes items. It requires the
        token that is printed at the start; the project's page of the emulator has examples.
        """,
      options: [vendor, port, seed, cards, faults, stateFile, quiet],
      examples: [
        Example("engage emulate", "every vendor"),
        Example(
          "engage emulate --vendor \(vendors.served.first?.name ?? "NAME") --port 9000",
          "one vendor, on another port"),
        Example("engage emulate --faults faults.json --seed 7", "with a script of faults"),
        Example("engage emulate --cards 1000", "a thousand cards, and a full inbox"),
        Example("engage emulate --state vendors.jsonl", "vendors that remember their devices"),
      ], isInterruptible: true,
      run: { invocation in
        let emulator = try await Emulator.start(try configuration(invocation))
        let count: Int
        do {
          try announce(emulator, invocation)
          count = try await list(emulator, invocation)
        } catch {
          await emulator.stop()
          throw error
        }
        await emulator.stop()
        invocation.console.note("Requests received: \(count).")
        return .done
      })
  }

  /// Lists each request until the task is cancelled, and returns how many there were.
  private static func list(_ emulator: Emulator, _ invocation: Invocation) async throws -> Int {
    let clock = invocation.context.clock
    var last = 0
    while true {
      // Asked first: what came before the end of the task is listed too.
      let isLast = Task.isCancelled
      for request in await emulator.requests(after: last) {
        last = request.number
        guard !invocation.has(quiet) else { continue }
        try invocation.console.line(line(request))
        try invocation.console.object(["request": request.json])
      }
      if isLast { return last }
      await clock.sleep(until: clock.uptime + .milliseconds(invocation.has(quiet) ? 60_000 : 200))
    }
  }

  /// Such as `09:00:01 braze POST /api/v3/data/ 201: 1 events, 1 effects of u-1`.
  private static func line(_ request: EmulatorRequest) -> Phrase {
    let time = ISO8601.text(of: request.time).map { String($0.dropFirst(11).prefix(8)) } ?? ""
    let status = request.status.map { " \($0)" } ?? (request.isMessage ? "" : " no answer")
    let fault = request.fault.map { " (fault: \($0))" } ?? ""
    return
      "\(time) \(request.vendor, .bold) \(request.method) \(request.path)\(status): \(request.summary)\(fault)"
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
      seed: UInt64(try invocation.number(seed, in: 0...Int.max) ?? 1),
      itemCount: try invocation.number(cards, in: 1...10_000) ?? 0, faults: script,
      state: invocation.value(stateFile).map { invocation.context.path($0) })
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
