import EngagementModel
import Testing

@Suite struct SplitMix64Tests {
  @Test("the numbers of a seed are the published ones")
  func publishedNumbers() {
    var numbers = SplitMix64(seed: 1_234_567)
    let first = (0..<5).map { _ in numbers.next() }
    #expect(
      first == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test("a generator starts with the mixed seed")
  func mixed() {
    var numbers = SplitMix64(seed: 42)
    #expect(numbers.next() == SplitMix64.mixed(42))
  }
}
