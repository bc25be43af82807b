import EngagementAnalytics

extension ComparisonInput {
  /// What could not be read, what was there twice, and what else is known of the events.
  struct Losses {
    var faults = LineFaults()
    var duplicates = 0
    /// What was passed over in files, or is not in the cache any more.
    var inputNotes: [String] = []
    /// The logs of the devices of each person, as far as they are known.
    var logs: [(person: UInt64, log: ExportedFiles.Log)] = []
    var hashes = DeviceHashes()
    var coverage = EventCoverage()
    /// The experiments whose events put people into arms.
    var experiments: Set<String> = []

    /// What a reader of the report has to know.
    func notes(of design: ComparisonDesign) -> [String] {
      let split = if case .providers = design.split { splitNote } else { String?.none }
      let people = [hashes.note, split].compactMap(\.self) + coverage.notes + inputNotes
      guard faults.count > 0 else { return people }
      let parts = faults.count == 1 ? "1 line or file is" : "\(faults.count) lines or files are"
      let told = faults.sentences.prefix(5)
      return ["\(parts) not counted, so that figures may be wrong. \(told.joined(separator: " "))"]
        + people
    }

    private var splitNote: String? {
      guard !experiments.isEmpty else { return nil }
      let names = experiments.sorted().prefix(5).map { "\"\($0.readable)\"" }
      let isOne = experiments.count == 1
      return "People were split by the \(isOne ? "experiment" : "experiments") "
        + "\(names.joined(separator: ", ")). \"engage experiment report\" compares "
        + "\(isOne ? "its" : "their") arms, and says when that may be read; these figures do not know the arms."
    }
  }
}
