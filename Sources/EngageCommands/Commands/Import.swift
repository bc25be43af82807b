import EngagementAnalytics
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension Command {
  private static let into = Option(
    "into", value: "FILE", "the file that collects the events; it is made, or added to")

  static func importing(_ vendors: [VendorRegistration]) -> Command {
    Command(
      name: ["import"], summary: "collect exported events of several devices in one file",
      discussion: """
        Reads files of "engage export", of any format and compression. FILE gets each event once, also
        where files overlap or are imported twice: an event is known by its source and its id. The name
        of FILE says what it holds: .ndjson or .csv, with .gz or .zst behind it, or .parquet. The cache
        of the application is not touched.

        A line that holds no event is told by its number, the others are imported, and the exit status
        is 1. So is an event whose source and id another one has with other content: the first one stays.
        Files of one device that name its users in two ways are refused, where the same event is in both, or
        manifests or ids say it. FILE is replaced when the new one is whole. A note says if no person is on
        two devices: each cache hides its users with a salt of its own, unless all export with one
        --user-hash-key.

        With --as, FILES are a vendor's own: lines of JSON, an event a line, also compressed. Fields that
        we have no column for are kept as properties whose names begin with the vendor's, and an event
        that we have no type for is a custom event under the vendor's name. Users keep their ids;
        with --user-hash-key they are hashed, as "engage export" does with the same key, and so are devices.
        Then, and with --redact userid, fields with English names for what tells who a person is are left
        out, such as e-mail, phone, names, birth, address, IP, and ids of devices and advertising, and
        values in which an id stands. Otherwise everything is kept. A file that engage has written has
        hashes already, unless it was written with --user-ids.

        \(vendors.eventTables.help)
        """,
      arguments: [
        Argument(
          name: "FILE", help: "files of exported events, or folders of them", repeats: true,
          completion: .files)
      ],
      options: [
        into, .vendorFormat(vendors), .zone, ExportRequest.Options.redact,
        ExportRequest.Options.hashKey,
      ],
      examples: [
        Example(
          "engage import phone.ndjson tablet.csv.gz --into all.parquet", "two devices in one"),
        Example("engage import out --into all.ndjson.zst", "all parts of an export"),
      ]
        + vendors.eventTables.prefix(1).map {
          Example(
            "engage import --as \($0.name) events.ndjson --into all.parquet", "a vendor's own")
        }, isInterruptible: true,
      run: { invocation in
        _ = try invocation.argument()
        guard let name = invocation.value(into) else {
          throw invocation.usage("engage import needs --into, such as --into all.parquet.")
        }
        guard let target = try EventTarget(invocation.context.path(name)) else {
          throw invocation.usage(
            "--into takes a name that ends with .ndjson, .csv or .parquet, and not \"\(name)\".")
        }
        let files = try ExportedFiles(Array(invocation.arguments(from: 0))) {
          invocation.context.path($0)
        }
        let format = try invocation.importedFormat()
        let redaction = try invocation.redaction()
        let result = try await invocation.console.progress { show in
          var run = EventImport(as: format, leavingOut: redaction)
          try run.run(files, into: target, show)
          return run
        }
        try result.tell(on: invocation.console, in: name)
        return result.faults.count == 0 ? .done : .failed
      })
  }
}

extension Invocation {
  /// The vendor's format of the files; nil for ours, in which users are hashed already.
  fileprivate func importedFormat() throws -> VendorFormat? {
    let key = try userHashKey()
    guard let table = try vendorFormat() else {
      guard key == nil else {
        throw usage("--user-hash-key is for files of a vendor; add --as, or leave it out.")
      }
      return nil
    }
    guard let hash = key.map(PersonHash.init) else {
      return VendorFormat(table: table, userName: nil)
    }
    return VendorFormat(table: table) { hash.text(of: $0) }
  }
}

extension EventImport {
  fileprivate func tell(on console: Console, in name: String) throws {
    for fault in faults.sentences { console.note(Phrase(fault)) }
    if faults.untold > 0 { console.note("\(faults.untold) more lines hold no event.") }
    guard isWritten else {
      throw EngagementError(
        .unreadable,
        "No event was found, and \(name) is not written. --as reads a vendor's own files.")
    }
    var sentence = "\(ExportRun.words(added)) added to \(name)"
    if known > 0 { sentence += ", \(known) known already" }
    let lines = faults.count - damagedFiles
    if lines > 0 { sentence += ", \(lines) \(lines == 1 ? "line" : "lines") bad" }
    if damagedFiles > 0 {
      sentence += ", \(damagedFiles) \(damagedFiles == 1 ? "file" : "files") damaged"
    }
    try console.line("\(sentence)")
    for note in notes + [hashes.note].compactMap(\.self) { console.note(Phrase(note)) }
    try console.object([
      "file": .string(name), "added": .integer(Int64(added)), "known": .integer(Int64(known)),
      "bad": .integer(Int64(lines)), "damagedFiles": .integer(Int64(damagedFiles)),
    ])
  }
}
