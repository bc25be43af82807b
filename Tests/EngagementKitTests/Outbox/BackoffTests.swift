import EngagementModel
import Testing

@testable import EngagementKit

@Suite struct BackoffTests {
  @Test(
    "G6: a wait lies between a second and a ceiling that doubles up to five minutes",
    arguments: [(1, 2), (2, 4), (5, 32), (8, 256), (9, 300), (1_000_000, 300), (0, 2), (-5, 2)])
  func bounds(failures: Int, ceiling: Int) {
    #expect(Backoff.delay(after: failures, random: 0) == .seconds(1))
    #expect(Backoff.delay(after: failures, random: .max) == .seconds(ceiling))
  }

  @Test("G6: full jitter spreads the delays evenly below the ceiling")
  func jitter() {
    var random = SplitMix(42)
    var buckets = [Int](repeating: 0, count: 10)
    for _ in 0..<10_000 {
      let delay = Backoff.delay(after: 20, random: random.next()) - .seconds(1)
      buckets[min(9, Int(delay / .seconds(29.9)))] += 1
    }
    #expect(buckets.allSatisfy { (850...1_150).contains($0) }, "\(buckets)")
  }

  @Test(
    "G6: the back-off honours a delay that the vendor requests, between one second and six hours",
    arguments: [(-5, 1), (0, 1), (1, 1), (60, 60), (21_600, 21_600), (10_000_000, 21_600)])
  func asked(seconds: Int, honoured: Int) {
    let asked = Duration.seconds(seconds)
    #expect(Backoff.delay(after: 1, asked: asked, random: 0) == .seconds(honoured))
  }

  @Test("a short delay requested by the vendor does not shorten the back-off")
  func least() {
    #expect(Backoff.delay(after: 9, asked: .seconds(2), random: .max) == .seconds(300))
  }

  @Test("a heap pops its elements in ascending order", arguments: 0..<20)
  func heap(seed: UInt64) {
    var random = SplitMix(seed)
    let numbers = (0..<200).map { _ in Int.random(in: 0..<50, using: &random) }
    var heap = Heap<Int>()
    for number in numbers { heap.insert(number) }
    var taken: [Int] = []
    while let number = heap.pop() { taken.append(number) }
    #expect(taken == numbers.sorted() && heap.isEmpty && heap.least == nil)
  }
}
