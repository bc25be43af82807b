import Testing

@Suite struct MoveFromBrazeTests {
  @Test(
    "B1 B2 B3 B5 B6: an application with content cards works the same after its migration from Braze",
    .timeLimit(.minutes(20)))
  func moves() throws {
    #expect(
      try Program("MoveFromBraze").output() == """
        shown: 0 cards, 0 unread
        refreshed: true
        shown: 3 cards, 3 unread
        - 1 banner, pinned: []
        - 2 captionedImage: ["Two for one", "Until Sunday", "shop.example.com", "https://shop.example.com"]
        - 3 classic: ["Welcome", "Here is how"]
        impression on 1: delivered
        click on 2: delivered
        click on 3: kept on this device
        dismiss on 3: delivered
        the vendor was told: ["cci 1", "ccc 2", "ccd 3"]
        left: ["1", "2"], 0 unread
        News: 0 unread
        without the indicator: none
        another user, before a refresh: 0 cards
        and after it: ["Two for one", "Welcome"]

        """)
  }
}
