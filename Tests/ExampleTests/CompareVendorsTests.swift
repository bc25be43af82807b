import Testing

@Suite struct CompareVendorsTests {
  @Test(
    "X12: an application compares two vendors through the library alone",
    .timeLimit(.minutes(20)))
  func compares() throws {
    #expect(
      try Program("CompareVendors").output() == """
        cards, version 1
        60 people · compared with braze · fixed design · 95% intervals
        - click: orchard is above braze: +43.33 pp (+20.04 pp to +66.63 pp), relative +118.18% (+4.06% to +232.30%).
        People
          Arm | Assigned | Share | Planned | Exposed
          braze | 30 | 50.00% | 50.00% | 30
          orchard | 30 | 50.00% | 50.00% | 30
        Figures
          Metric | Arm | Figure | 95% interval | Out of
          click | braze | 36.67% | 18.36% to 54.97% | 30
          click | orchard | 80.00% | 64.81% to 95.19% | 30

        """)
  }
}
