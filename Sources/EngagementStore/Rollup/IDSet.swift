/// A set of numbers, one bit each, in chunks of 4,096 of which only those are kept that have a bit.
///
/// Ids of partitions are given in order, so that a chunk is nearly full.
struct IDSet: Sendable, Equatable {
  static let wordsPerChunk = 64
  private static let bitsPerChunk: Int64 = 4_096

  /// What the chunks have in common, in order.
  private(set) var numbers: [Int64]
  /// The bits of all chunks, one chunk after the other.
  private(set) var words: [UInt64]

  init() { (numbers, words) = ([], []) }

  /// Nil unless the numbers are in order and each has its words.
  init?(numbers: [Int64], words: [UInt64]) {
    guard words.count == numbers.count * Self.wordsPerChunk,
      zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    (self.numbers, self.words) = (numbers, words)
  }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  mutating func insert(_ id: Int64) {
    let number = id / Self.bitsPerChunk
    let bit = Int(id % Self.bitsPerChunk)
    guard bit >= 0 else { return }
    words[index(ofChunk: number) * Self.wordsPerChunk + bit / 64] |= 1 << UInt64(bit % 64)
  }

  mutating func formUnion(_ other: Self) {
    for (place, number) in other.numbers.enumerated() {
      let own = index(ofChunk: number) * Self.wordsPerChunk
      let theirs = place * Self.wordsPerChunk
      for word in 0..<Self.wordsPerChunk { words[own + word] |= other.words[theirs + word] }
    }
  }

  func intersection(_ other: Self) -> Self {
    var result = Self()
    for (place, number) in numbers.enumerated() {
      let theirs = other.place(ofChunk: number)
      guard theirs < other.numbers.count, other.numbers[theirs] == number else { continue }
      result.numbers.append(number)
      for word in 0..<Self.wordsPerChunk {
        result.words.append(
          words[place * Self.wordsPerChunk + word]
            & other.words[theirs * Self.wordsPerChunk + word])
      }
    }
    return result
  }

  /// Where the chunk is, which is made if it is missing.
  private mutating func index(ofChunk number: Int64) -> Int {
    // Most ids are in the last chunk or in the only one.
    if let last = numbers.last, last == number { return numbers.count - 1 }
    let place = place(ofChunk: number)
    if place < numbers.count, numbers[place] == number { return place }
    numbers.insert(number, at: place)
    words.insert(
      contentsOf: repeatElement(0, count: Self.wordsPerChunk), at: place * Self.wordsPerChunk)
    return place
  }

  /// Where the chunk is or would be.
  private func place(ofChunk number: Int64) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
