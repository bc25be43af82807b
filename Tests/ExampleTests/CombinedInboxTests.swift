import Testing

@Suite struct CombinedInboxTests {
  @Test(
    "X4 X5: the example of one inbox for two vendors prints the expected output",
    .timeLimit(.minutes(20)))
  func example() throws {
    #expect(
      try Program("CombinedInbox").output() == """
        refreshed: true
        inbox: 3 messages, 3 unread
        - braze/b-roast New beans
        - vibes/v-stamp Your stamp
        - vibes/v-welcome Welcome
        read braze/b-roast: delivered
        read vibes/v-stamp: delivered
        read vibes/v-welcome: delivered
        inbox: 3 messages, 0 unread
        - braze/b-roast New beans
        - vibes/v-stamp Your stamp
        - vibes/v-welcome Welcome
        delete vibes/v-welcome: delivered
        told: braze and vibes
        inbox: 2 messages, 0 unread
        - braze/b-roast New beans
        - vibes/v-stamp Your stamp
        the vendors were told: ccd b-welcome
        the vendors were told: cci b-roast
        the vendors were told: expire v-welcome
        the vendors were told: read v-stamp
        the vendors were told: read v-welcome

        """)
  }
}
