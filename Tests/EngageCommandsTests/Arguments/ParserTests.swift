import Testing

@testable import EngageCommands

@Suite struct ParserTests {
  @Test("an argument that is not UTF-8 is refused, since two names would be one")
  func notUTF8() async throws {
    let stage = try CommandLineFixture()
    let ending = await stage.run(["signin", String(decoding: [0x75, 0xff], as: UTF8.self)])
    #expect(ending.status == .usage)
    #expect(ending.errors.contains("\"u\u{fffd}\" is not UTF-8."), "\(ending.errors)")
  }

  @Test(
    "a usage error names the nearest valid word and ends with status 64",
    arguments: [
      ("crads", #""crads" is no command; did you mean "cards"?"#),
      ("cards dimiss x", #""dimiss" is no verb of cards; did you mean "dismiss"?"#),
      ("cards dismiss", "engage cards dismiss needs ID."),
      ("cards dismiss a b", #"engage cards dismiss does not know what to do with "b"."#),
      ("sync --jsno", #""--jsno" is no option of engage sync; did you mean "--json"?"#),
      ("sync --json=yes", #"--json is a switch and takes no "yes"."#),
      ("sync --config", "--config needs a value: --config FILE."),
      ("sync --log error --log error", "--log is there twice."),
      (
        "sync --log loud",
        #"--log does not take "loud"; there is "off", "error", "warning", "info", "verbose"."#
      ),
      ("sync --log=eror", #"--log does not take "eror"; did you mean "error"?"#),
      ("events --last many", #"--last takes a whole number from 1 to 1000000, not "many"."#),
      (
        "decode --vendor brze --kind cards f",
        #"--vendor does not take "brze"; did you mean "braze"?"#
      ),
      (
        "decode --vendor braze --kind card f",
        #"--kind does not take "card"; did you mean "cards"?"#
      ),
      ("decode f --kind cards", "Name the vendor: --vendor NAME."),
      ("push", "engage push needs a verb: register, unregister, status, inspect."),
      ("consent set fulll", #"LEVEL does not take "fulll"; did you mean "full"?"#),
      ("completions bsh", #"SHELL does not take "bsh"; did you mean "bash"?"#),
      ("help crads", #""crads" is no command; did you mean "cards"?"#),
      ("version", #""version" is no command; did you mean "--version"?"#),
      ("--verson", #""--verson" is no option of engage; did you mean "--version"?"#),
      ("signin -x u", #""-x" is no option of engage signin"#),
    ])
  func nearMisses(line: String, message: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(StarterDocument(vendors: .shipped).text, to: "engage.json")
    try stage.write("", to: "engagement.sqlite")
    let ending = await stage.run(line.split(separator: " ").map(String.init))
    #expect(ending.status == .usage)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.hasPrefix("engage: \(message)"), "\(ending.errors)")
    #expect(ending.errors.contains("--help\"."))
  }

  @Test(
    "an id that is empty or has a control character is a usage error",
    arguments: [
      ["signin", ""], ["signin", "x\ny"], ["cards", "show", ""], ["inbox", "delete", "\u{7}"],
      ["person", "erase", "", "--yes"], ["track", ""], ["person", "set", ""],
    ])
  func badNames(line: [String]) async throws {
    let ending = try await CommandLineFixture().run(line)
    #expect(ending.status == .usage && ending.output.isEmpty)
    #expect(ending.errors.contains(" is empty.") || ending.errors.contains(" control character."))
  }

  @Test("a value may have any character")
  func values() throws {
    let line = ["track", "note", "text=two\nlines"]
    guard case .run(let parsed) = try Parser.parse(line, among: Command.all) else {
      Issue.record("no command")
      return
    }
    #expect(parsed.arguments == ["note", "text=two\nlines"])
  }

  @Test(
    "the parser accepts every usual spelling of an option",
    arguments: [
      ["events", "--last", "5", "--json"], ["events", "--last=5", "-j"],
      ["events", "-n", "5", "-j"],
      ["events", "-n5", "-j"], ["events", "-jn5"], ["--json", "events", "-n=5"],
      ["events", "--json", "--last", "5"],
    ])
  func spellings(line: [String]) throws {
    guard case .run(let parsed) = try Parser.parse(line, among: Command.all) else {
      Issue.record("no command")
      return
    }
    #expect(parsed.command.title == "engage events")
    #expect(parsed.values == ["last": ["5"], "json": [""]])
  }

  @Test("every word after -- is an argument, and so is a single -")
  func dashes() throws {
    let lines = [["track", "--", "--json", "-x=1"], ["push", "inspect", "-"]]
    let arguments = try lines.map { line in
      guard case .run(let parsed) = try Parser.parse(line, among: Command.all) else { return [""] }
      return parsed.arguments
    }
    #expect(arguments == [["--json", "-x=1"], ["-"]])
  }

  @Test("a noun without a verb runs its list or show command, with its options")
  func defaults() throws {
    for (line, title) in [
      (["cards"], "engage cards list"), (["cards", "--container", "x"], "engage cards list"),
      (["person", "--json"], "engage person show"), (["consent"], "engage consent show"),
    ] {
      guard case .run(let parsed) = try Parser.parse(line, among: Command.all) else {
        Issue.record("\(line) runs no command")
        continue
      }
      #expect(parsed.command.title == title)
    }
  }

  @Test("a word too many names the option of a container, where there is one")
  func surplus() async throws {
    let stage = try CommandLineFixture()
    let cards = await stage.engage("cards", "list", "all")
    #expect(cards.status == .usage)
    #expect(cards.errors.contains(#"with "all"; a container is named with --container"#))
    let inbox = await stage.engage("inbox", "list", "all")
    #expect(inbox.status == .usage && !inbox.errors.contains("--container"))
  }

  @Test("an error is a JSON object if --json is set")
  func errorsAsJSON() async throws {
    let ending = await (try CommandLineFixture()).engage("sync", "--jsno", "--json")
    #expect(ending.status == .usage)
    #expect(
      ending.errors
        == #"{"schema":1,"error":"usage","message":"\"--jsno\" is no option of engage sync; did you mean \"--json\"? See \"engage sync --help\"."}"#
        + "\n")
  }
}
