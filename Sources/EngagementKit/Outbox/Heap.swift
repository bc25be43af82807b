/// The least of many, in logarithmic time.
struct Heap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  var least: Element? { elements.first }
  var isEmpty: Bool { elements.isEmpty }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes the least.
  mutating func pop() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let least = elements.first else { return last }
    elements[0] = last
    sink()
    return least
  }

  private mutating func sink() {
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < elements.count && elements[child] < elements[smallest] {
        smallest = child
      }
      guard smallest != index else { return }
      elements.swapAt(index, smallest)
      index = smallest
    }
  }
}
