import Testing

@Suite struct MoveBetweenVendorsTests {
  @Test(
    "X15: the example of a move between vendors prints the expected output",
    .timeLimit(.minutes(20)))
  func example() throws {
    #expect(
      try Program("MoveBetweenVendors").output() == """
        stages: shadow, canary 20 %, cutover, drain, removed
        now: shadow
        refused: conflict
        now: canary 20 %
        now: cutover
        shown: 3 cards of orchard
        back at off: 10 cards of braze
        now: shadow
        now: canary 20 %
        now: cutover
        now: drain
        shown: 3 cards of orchard
        cards stays at drain: pending is 1, and at most 0 is wanted: let what waits be sent, or give \
        the plan a date in drainsUntil.
        braze: delivered
        now: removed
        steps in the event log: 9

        """)
  }
}
