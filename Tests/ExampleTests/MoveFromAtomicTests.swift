import Testing

@Suite struct MoveFromAtomicTests {
  @Test(
    "A1 A3 A10 A15 A16 A19–A22: an application with action cards works the same after its migration from Atomic",
    .timeLimit(.minutes(20)))
  func moves() throws {
    #expect(
      try Program("MoveFromAtomic").output() == """
        - bill-1: Your bill is due
        - table-1: A table on Sunday
        - news-1: A guest from Cologne
        - stamps-1: Nine of ten stamps
        cards: 4, unread: 4
        and live: Ready at the counter
        dismissed: delivered
        submitted Book: delivered
        snoozed: delivered
        voted: delivered
        - stamps-1: Nine of ten stamps
        - pickup-1: Ready at the counter
        event: delivered
        person: delivered
        push registered: delivered
        push: For you, table 4
        its card: Nine of ten stamps
        another vendor's push: not taken
        push unregistered: delivered
        left cleanly: true
        cards of nobody: 0
        the vendor was told: ["card-completed 1", "card-dismissed 1", "card-snoozed 1", "card-voted-down 1", "custom 1", "deregister-token 1", "notification-received 1", "register 1", "sdk-initialized 1", "update-user 1"]

        """)
  }
}
