import Testing

@Suite struct SwitchVendorTests {
  @Test(
    "X2: the example of a switch between vendors prints the expected output",
    .timeLimit(.minutes(20)))
  func example() throws {
    #expect(
      try Program("SwitchVendor").output() == """
        observed: 10 cards of braze
        observed: no card
        observed: 3 cards of orchard
        still to be sent: [braze: 1]
        after a restart: 3 cards of orchard
        braze: 1 delivered
        and back: 9 cards of braze

        """)
  }
}
