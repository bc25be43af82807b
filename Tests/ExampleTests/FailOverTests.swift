import Testing

@Suite struct FailOverTests {
  @Test(
    "X9: the example of a fail-over prints the expected output", .timeLimit(.minutes(20)))
  func example() throws {
    #expect(
      try Program("FailOver").output() == """
        braze: fresh
        10 cards of braze
        answered: [], 10 cards of braze
        answered: ["orchard"], 3 cards of orchard
        not back yet: unavailable
        after a restart: 3 cards of orchard
        by hand: 10 cards of braze
        fellThrough from braze to orchard: failures
        refused from orchard to braze: failures
        returned from orchard to braze: byHand

        """)
  }
}
