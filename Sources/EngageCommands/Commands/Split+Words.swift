import EngagementKit
import EngagementModel

extension Engagement.Split {
  /// The experiment in one line: its arms with their shares and providers.
  var words: String {
    let total = arms.reduce(0) { $0 + $1.weight }
    let parts = arms.map { arm in
      let share = Double(arm.weight) * 100 / Double(max(total, 1))
      let percent = share.rounded() == share ? "\(Int(share))" : "\((share * 10).rounded() / 10)"
      return "\(arm.name) \(percent)% \(arm.providers.words)"
    }
    var words = "split \(experiment) \(version): " + parts.joined(separator: "; ")
    if let layer {
      words += "; slots \(layer.slots.lowerBound) to \(layer.slots.upperBound) of \(layer.name)"
    }
    if let holdOut { words += "; \(holdOut.name) holds out \(holdOut.share)" }
    return words + "; else \(otherwise.words)"
  }
}

extension [Engagement.ProviderID] {
  fileprivate var words: String {
    isEmpty ? "none" : map(\.rawValue).joined(separator: "+")
  }
}
