import Testing

@Suite struct QuickstartTests {
  @Test("X1 X6 X7: the quickstart prints the expected output", .timeLimit(.minutes(20)))
  func quickstart() throws {
    #expect(
      try Program("Quickstart").output() == """
        complete: true, 7 cards, 7 new
        - classic: Your cup counts
        - captionedImage: Grüße aus Köln ☕️ – مرحبا
        - classic: Two for one: cortado
        - banner: The autumn menu
        - captionedImage: New beans from Huila
        - classic: We open at seven
        - classic: A quieter corner
        seen now: 6 cards
        delivered: true
        delivered: true
        without a network: false, 5 cards are seen
        with it again: true, 5 cards are seen
        the vendor has ccc of ["Grüße aus Köln ☕️ – مرحبا"] by u-1
        the vendor has ccd of ["Grüße aus Köln ☕️ – مرحبا"] by u-1
        the vendor has ccd of ["Two for one: cortado"] by u-1

        """)
  }
}
