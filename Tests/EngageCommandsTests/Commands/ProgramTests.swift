import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementModel
import EngagementVendors
import EngagementVibesTools
import Foundation
import TestServers
import TestSupport
import Testing

@testable import EngageCommands

@Suite(.timeLimit(.minutes(20))) struct ProgramTests {
  private let program = Programs.built("engage")

  /// A folder with a filled cache, and its vendor.
  private func filled() async throws -> (CommandLineFixture, Emulator) {
    let (stage, emulator) = (try CommandLineFixture(), try await Emulator.start(.init([.braze])))
    try await emulator.put(["id": "A", "tp": "short_news", "tt": "A card"], in: "braze")
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    for line in [["sync"], ["track", "visited"]] {
      let ending = await stage.run(line, by: CurlTransport())
      #expect(ending.status == .done, "\(ending.errors)")
    }
    return (stage, emulator)
  }

  @Test("the program prints its version and ends with the documented statuses")
  func statuses() throws {
    let version = try Programs.run(program, ["--version"])
    #expect(version.output == "engage \(EngageTool.version)\n")
    #expect(version.status == 0)
    let stage = try CommandLineFixture()
    #expect(try Programs.run(program, ["sync"], in: stage.folder).status == 1)
    #expect(try Programs.run(program, ["sinc"]).status == 64)
  }

  @Test(
    "every command that writes to a closed pipe ends without an error message",
    arguments: [
      "--help", "--version", "providers", "cards", "cards --json", "cards show A", "events",
      "doctor", "sync", "demo", "emulate --port 0", "completions bash",
    ])
  func closedPipe(line: String) async throws {
    let (stage, emulator) = try await filled()
    let words = line.split(separator: " ").map(String.init)
    let ending = try Programs.runUnread(program, words, in: stage.folder)
    #expect(ending.status == 141 && ending.endedItself)
    #expect(ending.errors.isEmpty, "\(ending.errors)")
    #expect(try Programs.run(program, ["cards"], in: stage.folder).status == 0)
    await emulator.stop()
  }

  @Test(
    "output that cannot be written is an error with its reason",
    arguments: ["--help", "providers", "cards", "cards --json", "events", "sync"])
  func fullOutput(line: String) async throws {
    let (stage, emulator) = try await filled()
    let words = line.split(separator: " ").map(String.init)
    let ending = try RunningProgram(
      program, words, in: stage.folder, to: .file("/dev/full")
    ).ending()
    #expect(ending.status == 1)
    #expect(ending.errors.contains("The output cannot be written"))
    #expect(ending.errors.contains("No space left on device"))
    await emulator.stop()
  }

  @Test("X8: several commands at once on an empty cache act as the configured user")
  func firstUse() async throws {
    let (stage, emulator) = (try CommandLineFixture(), try await Emulator.start(.init([.braze])))
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    let names = (1...8).map { "event-\($0)" }
    let all = #"for name in "${@}"; do "$0" track "$name" & done; wait"#
    let ending = try Programs.run("/bin/bash", ["-c", all, program] + names, in: stage.folder)
    #expect(ending.errors.isEmpty, "\(ending.errors)")
    #expect(try Programs.run(program, ["sync"], in: stage.folder).status == 0)
    let effects = await emulator.effects()
    #expect(effects.filter { $0.key.name == "ss" }.map(\.value) == [1], "one session for all")
    let told = effects.filter { $0.key.name == "ce" }
    #expect(told.keys.map(\.subject).sorted() == names)
    #expect(told.allSatisfy { $0.key.user == "u-1" && $0.value == 1 })
    await emulator.stop()
  }

  @Test("G15: several first syncs at once register one device")
  func firstSyncs() async throws {
    let (stage, emulator) = (try CommandLineFixture(), try await Emulator.start(.init([.vibes])))
    try stage.write(
      """
      {"user": "u-1", "consent": "full", "providers": {"vibes": {"vendor": "vibes",
       "endpoint": "\(emulator.endpoint(of: "vibes"))", "appID": "demo"}}}
      """, to: "engage.json")
    let all = #"for i in 1 2 3 4 5 6 7 8; do "$0" sync & done; wait"#
    let ending = try Programs.run("/bin/bash", ["-c", all, program], in: stage.folder)
    #expect(ending.errors.isEmpty, "\(ending.errors)")
    let registrations = await emulator.requests().filter {
      $0.method == "POST" && $0.path.hasSuffix("/devices")
    }
    #expect(registrations.count == 1)
    await emulator.stop()
  }

  @Test("G12: a limit on the size of files is an error, and no end without a word")
  func fileSize() async throws {
    let (stage, emulator) = try await filled()
    // A thread sanitizer keeps a file of its own in TMPDIR, and ends by SIGBUS where it is cut.
    for line in ["cards", "consent show", "sync"] {
      let limited = "ulimit -f 8; TMPDIR=/nowhere \"$0\" \(line)"
      let ending = try Programs.run("/bin/bash", ["-c", limited, program], in: stage.folder)
      #expect(ending.endedItself && [0, 1].contains(ending.status), "\(line): \(ending)")
      #expect(ending.status == 0 || ending.errors.hasPrefix("engage: "), "\(ending)")
    }
    await emulator.stop()
  }

  @Test("events --follow ends when its reader has gone, also without a new event")
  func followUnread() async throws {
    let (stage, emulator) = try await filled()
    let ending = try Programs.run(
      "/bin/bash", ["-c", #""$0" events --follow | head -1; echo "${PIPESTATUS[0]}""#, program],
      in: stage.folder)
    #expect(ending.output.split(separator: "\n").last == "141")
    await emulator.stop()
  }

  @Test(
    "SIGINT, SIGTERM and SIGHUP end the emulator with its summary and status 0",
    arguments: ["INT", "TERM", "HUP"])
  func signals(name: String) throws {
    let script = """
      coproc env --default-signal=HUP "$0" emulate --port 0 --vendor braze 2>&1
      read -r -u ${COPROC[0]} line; job=$COPROC_PID; exec 3<&${COPROC[0]}
      kill -\(name) $job; cat <&3 | tail -1; wait $job; echo $?
      """
    let ending = try Programs.run("/bin/bash", ["-c", script, program])
    #expect(ending.output == "Requests received: 0.\n0\n")
  }

  @Test("a program that was started to outlive its terminal does")
  func ignoredHangup() throws {
    let script = """
      trap '' HUP
      coproc "$0" emulate --port 0 --vendor braze 2>&1
      read -r -u ${COPROC[0]} line; job=$COPROC_PID; exec 3<&${COPROC[0]}
      kill -HUP $job; sleep 0.5; kill -TERM $job && cat <&3 | tail -1; wait $job; echo $?
      """
    let ending = try Programs.run("/bin/bash", ["-c", script, program])
    #expect(ending.output == "Requests received: 0.\n0\n")
  }

  @Test("G1: Ctrl-C during a sync ends the program and keeps the cards and the pending action")
  func interruptedSync() async throws {
    let (stage, emulator) = try await filled()
    let waiting = await stage.engage("track", "bought", in: .impatient)
    #expect(waiting.output == "track bought: pending; the next sync tries again\n")
    let cards = try Programs.run(program, ["cards", "--json"], in: stage.folder).output
    let asked = AsyncStream.makeStream(of: Void.self)
    try await withServer {
      try $0.readHead()
      asked.continuation.yield()
      // Reads until the client disconnects.
      while true { _ = try $0.read() }
    } _: { server in
      try stage.configure(endpoint: server.url(""))
      let sync = try RunningProgram(program, ["sync"], in: stage.folder)
      for await _ in asked.stream { break }
      sync.interrupt()
      let ending = sync.ending()
      #expect(ending.status == 130 && ending.endedItself)
      #expect(ending.errors.isEmpty, "\(ending.errors)")
    }
    #expect(try Programs.run(program, ["cards", "--json"], in: stage.folder).output == cards)
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    try await stage.sync(until: { await emulator.times("ce", of: "bought") > 0 })
    #expect(await emulator.times("ce", of: "bought") == 1)
    await emulator.stop()
  }

  @Test("G16: a private certificate authority is trusted once certificateAuthorities names it")
  func authorities() async throws {
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let identity = try TLSIdentity("server", hosts: "IP:127.0.0.1", issuer: authority)
    try await authority.withFile { file in
      try await withServer(identity) {
        try $0.readHead()
        try $0.answer("404 Not Found")
      } _: { server in
        let (stage, endpoint) = (try CommandLineFixture(), server.url("", scheme: "https"))
        try stage.configure(endpoint: endpoint)
        let refused = try Programs.run(program, ["doctor"], in: stage.folder)
        #expect(refused.status == 1)
        #expect(refused.output.contains("name its file in certificateAuthorities"))
        try stage.configure(endpoint: endpoint, ", \"certificateAuthorities\": \"\(file)\"")
        let trusted = try Programs.run(program, ["doctor"], in: stage.folder)
        #expect(trusted.status == 0, "\(trusted.output)")
        #expect(trusted.output.contains("\(endpoint) is reached"))
      }
    }
  }

  @Test("output to a pipe is plain text")
  func plain() throws {
    let stage = try CommandLineFixture()
    let ending = try Programs.run(program, ["init"], in: stage.folder)
    #expect(!ending.output.contains("\u{1b}"))
    #expect(ending.status == 0)
    let mode =
      try FileManager.default.attributesOfItem(
        atPath: stage.folder.appending(path: "engage.json").path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("a cache below ~/ stands in the home folder, and in no folder of that name")
  func homeFolder() async throws {
    let (stage, emulator) = try await filled()
    try stage.configure(
      endpoint: emulator.endpoint(of: "braze"), #", "cache": "~/kept.sqlite""#)
    let home = stage.folder.appending(path: "home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let ending = try Programs.run(
      program, ["sync"], in: stage.folder, environment: ["HOME": home.path])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(FileManager.default.fileExists(atPath: home.appending(path: "kept.sqlite").path))
    #expect(try !stage.names().contains("~"))
    await emulator.stop()
  }

  @Test("init writes the whole file or none, and can be run again after a full disk")
  func initialiseOnFullDisk() throws {
    let stage = try CommandLineFixture()
    // TMPDIR as above.
    let full = "trap '' XFSZ; ulimit -f 0; TMPDIR=/nowhere exec \"$0\" init"
    let ending = try Programs.run("/bin/bash", ["-c", full, program], in: stage.folder)
    #expect(ending.status == 1 && ending.errors.contains("engage.json cannot be written"))
    #expect(try stage.names() == [])
    #expect(try Programs.run(program, ["init"], in: stage.folder).status == 0)
    let written = try stage.names()
    let again = try Programs.run(
      "/bin/bash", ["-c", full + " --force", program], in: stage.folder)
    #expect(again.status == 1)
    #expect(try stage.names() == written)
    #expect(try Programs.run(program, ["providers"], in: stage.folder).status == 0)
  }

  @Test("a demo without a folder for its cache names that folder and what to set")
  func demoWithoutFolder() throws {
    let ending = try Programs.run(program, ["demo"], environment: ["TMPDIR": "/proc/nowhere"])
    #expect(ending.status == 1)
    #expect(ending.errors.contains("/proc/nowhere") && ending.errors.contains("TMPDIR"))
  }
}
