/// Holm's correction for several metrics of one experiment.
public enum Holm {
  /// The probabilities, raised so that one limit holds for all of them together, in the given order.
  public static func adjusted(_ probabilities: [Double]) -> [Double] {
    var adjusted = probabilities
    var largest = 0.0
    let ranked = probabilities.indices.sorted { probabilities[$0] < probabilities[$1] }
    for (rank, index) in ranked.enumerated() {
      largest = max(largest, min(1, probabilities[index] * Double(probabilities.count - rank)))
      adjusted[index] = largest
    }
    return adjusted
  }
}
