import EngageCommands
import Testing

@Suite("engage experiment") struct ExperimentCommandsTests {
  private func plan(_ options: String) async throws -> CommandLineFixture.Ending {
    await (try CommandLineFixture()).run(
      ["experiment", "plan"] + options.split(separator: " ").map(String.init))
  }

  @Test("X12: the people and the days that a lift needs")
  func lift() async throws {
    let ending = try await plan("--rate 5% --lift 10% --daily 4000 --metric click")
    #expect(ending.status == .done && ending.errors.isEmpty)
    #expect(
      ending.output == """
        To see 5% become 5.5%, 80% of the time, with 5% false alarms, at one look, at the end:
        PEOPLE PER ARM  IN BOTH  DAYS
                 31234    62468    16

        """)
    #expect(
      try await plan("--rate 0.05 --lift 0.1 --metric click --json").output
        == #"{"schema":1,"design":"fixed","rate":0.05,"lift":0.1,"power":0.8,"significance":0.05,"comparisons":1,"peoplePerArm":31234,"people":62468}"#
        + "\n")
  }

  @Test("X12: a drop, more power, and a design that may be looked at at any time")
  func designs() async throws {
    let drop = try await plan(
      "--rate 20% --lift -5% --power 90% --significance 1% --anytime --metric click")
    #expect(
      drop.lines.first
        == "To see 20% become 19%, 90% of the time, with 1% false alarms, whenever one looks:")
    // The bound is 3.57 standard errors in place of 2.58.
    #expect(drop.lines.last?.contains("73943") == true, "\(drop.output)")
  }

  @Test("X12: the least lift that people show")
  func people() async throws {
    let ending = try await plan("--rate 5% --people 62468 --daily 10000 --metric click")
    #expect(
      ending.lines == [
        "The least lift that is seen is 10%: from 5% to 5.5%, 80% of the time, with 5% false alarms, "
          + "at one look, at the end:",
        "PEOPLE PER ARM  IN BOTH  DAYS", "         31234    62468     7",
      ])
  }

  @Test("X12: what a large lift needs shows that lift")
  func fewPeople() async throws {
    let large = try await plan("--rate 20% --lift 300% --metric click")
    #expect(large.lines.last == "            35       70", "\(large.output)")
    let same = try await plan("--rate 20% --people 70 --metric click")
    #expect(
      same.lines.first?.hasPrefix("The least lift that is seen is 200%: from 20% to 60%") == true,
      "\(same.output)")
  }

  @Test("X12: the people suffice for all the metrics and arms that the report tests")
  func severalMetrics() async throws {
    let five = try await plan("--rate 5% --lift 10%")
    #expect(
      five.output == """
        To see 5% become 5.5%, 80% of the time, with 5% false alarms, at one look, at the end:
        PEOPLE PER ARM  IN BOTH
                 46476    92952
        Counted for 5 metrics: Holm decides the clearest of 5 differences at 1%. Fewer --metric need \
        fewer people.

        """)
    let arms = try await plan(
      "--rate 5% --lift 10% --metric click --name b --arm x --arm y --arm z --out b.json")
    #expect(arms.output.contains("Counted for 1 metric in 2 arms beside the control"))
    let fewer = try await plan("--rate 5% --people 62468")
    #expect(fewer.lines.first?.hasPrefix("The least lift that is seen is 12.3%") == true)
  }

  @Test(
    "X12: a plan that makes no sense says what does",
    arguments: [
      ("", "needs --rate"), ("--rate 5%", "needs --lift or --people"),
      ("--rate 5% --lift 1% --people 10", "needs --lift or --people"),
      ("--rate 5 --lift 1%", "--rate takes a share"),
      ("--rate 0% --lift 1%", "--rate takes a share"),
      ("--rate x% --lift 1%", "--rate takes a share"), ("--rate nan --lift 1%", "--rate takes"),
      ("--rate 5% --lift 10", "--lift takes a share"),
      ("--rate 5% --lift 0", "--lift takes a share"),
      ("--rate 5% --lift -100%", "--lift takes a share"),
      ("--rate 5% --lift inf%", "--lift takes a share"),
      ("--rate 50% --lift 100%", "has no room for a lift of 100.00%"),
      ("--rate 5% --lift 10% --power 4%", "The power is above the significance"),
      ("--rate 5% --lift 10% --significance 1e-300", "between 0.0001% and 50%"),
      ("--rate 5% --lift 10% --daily 0", "--daily takes a whole number"),
      ("--rate 5% --people 1", "--people takes a whole number"),
      ("--rate 20% --lift 500%", "above \u{2212}100.00% and below 400.00%"),
      ("--rate 90% --people 20", "20 people are too few"),
      (
        "--rate 20% --people 56 --metric click",
        "too few to plan with for a rate of 20%: take 70 or more."
      ),
      ("--rate 0.0001% --lift 0.0001%", "So small a lift"),
      (
        "--rate 5% --lift 10% --out p.json --name n --arm control=50% --arm new",
        "--arm takes a name, and not \"control=50%\""
      ),
    ])
  func nonsense(options: String, text: String) async throws {
    let ending = try await plan(options)
    #expect(ending.status == .usage && ending.output.isEmpty)
    #expect(ending.errors.contains(text), "\(ending.errors)")
  }
}
