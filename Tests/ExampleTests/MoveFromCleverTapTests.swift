import Testing

@Suite struct MoveFromCleverTapTests {
  @Test(
    "C1 C3–C11: an application with templates, inbox and pushes works the same after its migration from CleverTap",
    .timeLimit(.minutes(20)))
  func moves() throws {
    #expect(
      try Program("MoveFromCleverTap").output() == """
        person: delivered
        templates are known to the dashboard
        campaigns: true
        9 cups: delivered
        10 cups: delivered
        offer: A cup for free
        price: 0.0 EUR
        picture on this device: true
        askForRating: 4.0 stars
        inbox: true
        messages: 2, unread: 2
        - Your stamps
        - Welcome
        read: delivered
        deleted: delivered
        messages: 1, unread: 0
        - Your stamps, read
        push registered: delivered
        push: For you, shop://beans
        opened: true
        as grace: 0 messages
        and after a refresh: 2
        left cleanly: true
        the vendor was told: ["App Launched 2", "Notification Clicked 2", "Notification Viewed 2", "defineTemplates 2", "deleteMessages 1", "download 1", "event 2", "profile 4", "register 2", "unregister 2", "wzrk_fetch 1"]

        """)
  }
}
