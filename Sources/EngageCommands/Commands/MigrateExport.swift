import EngagementAdapterAPI
import EngagementAnalytics
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension Command {
  private static let vendor = Option(
    "for", value: "VENDOR", "the vendor to which people move",
    choices: MigrationExport.Vendor.allCases.map(\.rawValue))
  fileprivate static let out = Option(
    "out", letter: "o", value: "DIR", "a folder that is not there yet, or that of the same export")
  fileprivate static let personalData = Option(
    "personal-data", "confirm that the files have ids, names, addresses and push tokens")
  private static let appID = Option(
    "app-id", value: "ID", "the vendor's id of the application; braze files tokens under it")
  private static let listed = Option(
    "suppressed", value: "FILE", "ids of people whom nothing may reach, one a line",
    completion: .files)
  private static let rehearsal = Option(
    "dry-run", "tell what would be written, and write nothing")

  /// `engage migrate export`.
  static let exportForVendor = Command(
    name: ["migrate", "export"],
    summary: "write what your server hands to a vendor so that people move to it",
    discussion: """
      DIR gets the bodies of the vendor's own calls, named in the order in which your server sends
      them, and a _manifest.json with the call, the number of objects and the SHA-256 of each file.
      engage sends none of them.

      The first files name the suppressed people; they cannot be left out. A person is suppressed whose
      consent is denied or not on record, who has opted out in a FILE, or whose id --suppressed lists.
      List the people whom you have erased: no cache knows their ids any more. No other file has a
      suppressed person. The first files also tell who wants no notifications; those people get no
      token.

      The people are those of this cache, where there is one, with what vendors last told of them and
      what still waits to be sent. A FILE is of another device: of "engage person export", which tells
      of people and has no tokens, or of "engage export --user-ids", which tells who has opted out and
      nothing else. Of two values of a field the first one counts. An opt-out counts wherever it is; a
      later consent on another device does not take it back.

      braze: POST /users/track, 75 objects each. Tokens need --app-id.
      vibes: POST …/import_batches with 1000 tokens, and POST …/persons/ with one line of people each.
      No call stops pushes to a person: leave the suppressed people out of your own imports, too.
      clevertap: POST /1/upload, 1000 people or 100 tokens. It takes the token of a device that it
      knows: of a cache whose application has spoken with CleverTap already.
      atomic: PUT /userPreferences, 1000 people each. No call takes names, addresses or tokens: the
      application tells them after the next sign-in.

      What the vendor would refuse is told by the person's number and left out, and the exit status
      is 1. A line of FILE that cannot be read may be an opt-out: then nothing is written. The same run
      again writes nothing new; a run that was killed is completed by the next.
      """,
    arguments: [
      Argument(
        name: "FILE", help: "files of other devices, or folders of them", isOptional: true,
        repeats: true, completion: .files)
    ],
    options: [vendor, out, personalData, appID, listed, ExportRequest.Options.hashKey, rehearsal],
    examples: [
      Example("engage migrate export --for braze --dry-run", "what would be written"),
      Example(
        "engage migrate export --for vibes --out moved --personal-data phones/*.ndjson",
        "the people of several devices"),
    ], isInterruptible: true,
    run: { try await HandOverRun($0, vendor, appID, listed, rehearsal).run() })
}

/// One run of `engage migrate export`.
private struct HandOverRun {
  private let invocation: Invocation
  private let vendor: MigrationExport.Vendor
  private let appID: String?
  private let suppressed: [UInt8]
  /// Nil for a rehearsal.
  private let folder: String?

  init(
    _ invocation: Invocation, _ vendorOption: Option, _ appID: Option, _ listed: Option,
    _ rehearsal: Option
  ) throws {
    self.invocation = invocation
    guard let name = invocation.value(vendorOption) else {
      throw invocation.usage("engage migrate export needs --for, such as --for braze.")
    }
    vendor = try invocation.choice(name, of: vendorOption.title)
    self.appID = invocation.value(appID)
    suppressed = try invocation.value(listed).map { try invocation.bytes(of: $0) } ?? []
    guard !invocation.has(rehearsal) else {
      folder = nil
      return
    }
    guard var out = invocation.value(Command.out), !out.isEmpty, out != "-" else {
      throw invocation.usage("engage migrate export needs --out with a folder, or --dry-run.")
    }
    guard invocation.has(Command.personalData) else {
      throw invocation.usage(
        "The files have ids, names, addresses and push tokens: say --personal-data if they may.")
    }
    while out.count > 1, out.hasSuffix("/") { out.removeLast() }
    folder = out
  }

  func run() async throws -> ExitStatus {
    let configuration = try configuration()
    let revision = try await revision(of: configuration)
    let sources = try await sources(configuration)
    try requireWhole(sources)
    let batches = MigrationExport(to: vendor, appID: appID).batches(of: sources.people)
    try requireAppID(batches)
    tellRefusals(batches)
    var written = 0
    if let folder {
      written = try await HandOverFolder(
        invocation.context.path(folder), for: vendor, batches, named: Command.out
      ).write {
        guard try await self.revision(of: configuration) == revision else {
          throw EngagementError(
            .conflict, "A user was erased meanwhile. Nothing of this run is kept; run it again.")
        }
      }
    }
    try tell(batches, written)
    return batches.refusals.isEmpty ? .done : .failed
  }

  // MARK: Input

  /// Nil where only files are to be read.
  private func configuration() throws -> EngageConfiguration? {
    guard invocation.optionalArgument() != nil, invocation.value(.config) == nil else {
      return try invocation.configurationWithCache()
    }
    let path = ConfigurationReader.path(nil, in: invocation.context)
    guard access(path, F_OK) == 0 else { return nil }
    let configuration = try invocation.configuration()
    return CacheFile(configuration.cache).wasMade ? configuration : nil
  }

  /// Another one tells that a user was erased.
  private func revision(of configuration: EngageConfiguration?) async throws -> String? {
    guard let configuration else { return nil }
    return try await invocation.looking(configuration) { (reader) throws(EngagementError) in
      try reader.ledgerRevision
    }
  }

  private func sources(_ configuration: EngageConfiguration?) async throws -> MovingSources {
    try await invocation.console.progress("Reading …") {
      var sources = MovingSources()
      var source: String?
      if let configuration {
        sources = try await people(of: configuration)
        let id = try DeviceFile(besideCacheAt: configuration.cache)
          .id(random: invocation.context.random) { invocation.console.note("\($0)") }
        source = "urn:uuid:\(id)"
      }
      try sources.addSuppressed(suppressed)
      var files = try ExportedFiles(Array(invocation.arguments(from: 0))) {
        invocation.context.path($0)
      }
      for damage in try files.takeDamage() { sources.note("\(damage.name): \(damage.sentence)") }
      for file in files.files { try sources.add(file, besides: source) }
      try sources.finish(try invocation.userHashKey().map(PersonHash.init))
      return sources
    }
  }

  private func people(of configuration: EngageConfiguration) async throws -> MovingSources {
    let users = try await invocation.looking(configuration) { (reader) throws(EngagementError) in
      try reader.users
    }
    let provider = configuration.providers.first {
      vendor == .clevertap && $0.adapter.vendor.rawValue == vendor.rawValue
    }?.id
    return try await invocation.reading(configuration) { engagement in
      var sources = MovingSources()
      try await sources.addUsers(users, of: engagement, for: provider)
      return sources
    }
  }

  // MARK: Output

  private func requireAppID(_ batches: MigrationBatches) throws {
    guard vendor == .braze, appID == nil, batches.refusals.contains(where: { $0.field == "token" })
    else { return }
    throw invocation.usage(
      "There are push tokens, and Braze files them under its id of the application: give --app-id.")
  }

  /// A line that cannot be read may be an opt-out.
  private func requireWhole(_ sources: MovingSources) throws(EngagementError) {
    guard sources.faultCount > 0 else { return }
    for fault in sources.faults { invocation.console.note("\(fault)") }
    throw EngagementError(
      .unreadable,
      "\(Self.words(sources.faultCount, "line", "lines")) cannot be read, and may be of people who have "
        + "opted out. Nothing is written.")
  }

  private func tellRefusals(_ batches: MigrationBatches) {
    let console = invocation.console
    for refusal in batches.refusals.prefix(Self.mostRefusals) {
      let id = folder == nil ? "" : refusal.id.map { " (\($0.rawValue))" } ?? ""
      let field = refusal.field.map { ", \($0)" } ?? ""
      console.note("person \(refusal.person)\(id)\(field): \(refusal.reason)")
    }
    if batches.refusals.count > Self.mostRefusals {
      console.note("\(batches.refusals.count - Self.mostRefusals) more are refused.")
    }
    if batches.withoutFields > 0 {
      console.note(
        "\(Self.words(batches.withoutFields, "person", "people")) had no fields, such as a name: "
          + "\(vendor.rawValue) gets no more than the id.")
    }
    for (field, count) in batches.lacking.sorted(by: { $0.key < $1.key }) {
      console.note(
        "\(field) of \(Self.words(count, "person", "people")): \(vendor.rawValue) takes none from a server."
      )
    }
  }

  private static let mostRefusals = 100

  private static func words(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  private func tell(_ batches: MigrationBatches, _ written: Int) throws {
    let suppressed = batches.suppressed.values.reduce(0, +)
    let tokens = batches.objects(of: .tokens)
    let sum =
      "\(Self.words(batches.moving, "person", "people")), \(suppressed) suppressed, "
      + Self.words(tokens, "token", "tokens")
    let files = Self.words(batches.bodies.count, "file", "files")
    if let folder {
      try invocation.console.line(
        written == 0
          ? "\(sum): nothing new in \(folder)"
          : "\(sum) in \(files) of \(folder), \(written) of them new")
    } else {
      try invocation.console.line("\(sum) in \(files); nothing is written")
    }
    if tokens > 0 {
      // MIGRATION.md says the same: import tokens late.
      invocation.console.note(
        """
        The kit tells vendors of these tokens by itself, and one that a server imports has two owners at \
        once: import only tokens of people whose installations are still without the kit, and none that \
        the kit has told.
        """)
    }
    var members: JSONObject = ["for": .string(vendor.rawValue)]
    members["folder"] = folder.map(JSON.string)
    for (name, count) in [
      ("people", batches.moving), ("suppressed", suppressed), ("tokens", tokens),
      ("withoutFields", batches.withoutFields), ("refused", batches.refusals.count),
      ("files", batches.bodies.count), ("new", written),
    ] { members[name] = .integer(Int64(count)) }
    try invocation.console.object(members)
  }
}
