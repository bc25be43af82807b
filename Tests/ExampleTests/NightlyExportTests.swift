import Testing

@Suite struct NightlyExportTests {
  @Test(
    "X14: a nightly export writes each event once, and nothing where nothing is new",
    .timeLimit(.minutes(20)))
  func exports() throws {
    #expect(
      try Program("NightlyExport").output() == """
        first night: 2 events
          engage.custom Tea ordered by 882de3af
          engage.custom Cake ordered by 882de3af
        second night: nothing new
        third night: 1 events
          engage.custom Tea ordered by cbd0a9ad

        """)
  }
}
