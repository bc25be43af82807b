import Testing

@Suite struct MoveBetweenVendorsTests {
  @Test(
    "X15: the example of a move between vendors prints the expected output",
    .timeLimit(.minutes(20)))
  func example() throws {
    #expect(try Program("MoveBetweenVendors").output() == "")
  }
}
