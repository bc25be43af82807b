import Testing

@Suite struct MoveFromVibesTests {
  @Test(
    "V1–V4 V6–V9 V11: an application with push and inbox works the same after its migration from Vibes",
    .timeLimit(.minutes(20)))
  func moves() throws {
    #expect(
      try Program("MoveFromVibes").output() == """
        log: warning a line of the application's own
        push registered: delivered
        device updated: delivered
        person: ada
        refreshed: true
        inbox: 3 messages, 2 unread
        - m-3 Brunch
        - m-2 Your stamp
        - m-1 Welcome, read
        ["https://club.example.com/stamps", "https://club.example.com/stamp.png", "stamps", "stamp"]
        push: For you, club://beans, light
        message of the push: true
        opened: true
        opened: delivered
        read: delivered
        expired: delivered
        inbox: 3 messages, 1 unread
        - m-4 Just in, read
        - m-3 Brunch
        - m-1 Welcome, read
        associated: delivered
        before a refresh: 0 messages
        and after it: 3
        push unregistered: delivered
        left cleanly: true
        the vendor was told: ["assign 2", "clickthru 1", "expire 1", "inbox_open 1", "launch 1", "push_receive 1", "push_register 1", "push_unregister 1", "read 1", "register 1", "unregister 1", "update 1"]

        """)
  }
}
