import EngagementJSON
import EngagementModel
import EngagementPlatform

extension Command {
  static let verify = Command(
    name: ["verify"], summary: "prove that an export is whole",
    discussion: """
      DIR is a folder of "engage export --out DIR". Every file is read and held against its manifest:
      its size, its SHA-256, and each event once. What was read from the cache is what was written and
      what was dropped, by reason. The exit status is 1 if anything is wrong. A folder that begins after
      the first event says so: what its cursor had passed before is elsewhere. If the last runs are
      lost, with their manifests, nothing here says so: the next "engage export" with the cursor does. An
      export to one FILE has no manifest, and nothing that it can be held against.
      """,
    arguments: [Argument(name: "DIR", help: "the folder of the export", completion: .files)],
    examples: [Example("engage verify events", "hold the files against their manifests")],
    isInterruptible: true,
    run: { invocation in
      var folder = try invocation.argument()
      try requireFolder(invocation.context.path(folder), named: folder)
      while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
      var check = ExportCheck(invocation.context.path(folder))
      check = try await invocation.console.progress("Reading …") {
        var check = check
        try check.run()
        return check
      }
      try check.tell(on: invocation.console)
      return check.findings.isEmpty ? .done : .failed
    })

  /// Throws for one exported file, and where there is nothing. What cannot be opened is told later.
  private static func requireFolder(_ path: String, named name: String) throws {
    var status = stat()
    if lstat(path, &status) != 0, errno == ENOENT {
      throw EngagementError(
        .notFound,
        "\(name): It is not there. Give the folder that \"engage export --out DIR\" has written.")
    }
    guard let isFile = try? InputFile(path).isRegular, isFile else { return }
    throw EngagementError(
      .invalidArgument,
      "\(name) is one file, which has no manifest; only a folder of \"engage export --out DIR\" can be "
        + "verified.")
  }
}

extension ExportCheck {
  private static func words(_ reason: String) -> String {
    switch ExportManifest.Reason(rawValue: reason) {
    case .gone: "no longer there (erased or evicted)"
    case .condition: "left out (--where)"
    case nil: "left out (\(reason))"
    }
  }

  /// Where the folder begins, if that is not at the first event.
  private var beginning: String {
    after > 0 ? " It begins after event \(after); the events up to that one are not here." : ""
  }

  fileprivate func tell(on console: Console) throws {
    for finding in findings { try console.line("\(finding.place): \(finding.sentence)") }
    let reasons = dropped.sorted { $0.key < $1.key }
    var sum = "\(read) recorded = \(events) written"
    for (reason, count) in reasons { sum += " + \(count) \(Self.words(reason))" }
    let files = files == 1 ? "1 file" : "\(files) files"
    let runs = runs == 1 ? "1 run" : "\(runs) runs"
    try console.line(
      findings.isEmpty
        ? "\(runs), \(files): \(sum). What was written is there once.\(beginning)"
        : "It is not whole. Its manifests say: \(runs), \(files): \(sum).\(beginning)")
    var members: JSONObject = [
      "after": .integer(after), "runs": .integer(Int64(self.runs)),
      "files": .integer(Int64(self.files)),
      "read": .integer(Int64(read)), "written": .integer(Int64(events)),
    ]
    var object = JSONObject()
    for (reason, count) in reasons { object[reason] = .integer(Int64(count)) }
    members["dropped"] = .object(object)
    members["findings"] = .array(
      findings.map { ["place": .string($0.place), "finding": .string($0.sentence)] })
    try console.object(members)
  }
}
