import EngagementAnalytics
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The folder with what a team's server sends to a vendor.
///
/// Files get their names in the order in which they are sent, each when it is whole, and the manifest is
/// the last one: wherever a run is killed, nobody is told before those whom nothing may reach. The same
/// run again adds what is missing.
struct HandOverFolder {
  let path: String
  private let vendor: MigrationExport.Vendor
  private let batches: MigrationBatches
  private let option: Option

  static let manifestName = "_manifest.json"

  init(
    _ path: String, for vendor: MigrationExport.Vendor, _ batches: MigrationBatches,
    named option: Option
  ) {
    (self.path, self.vendor, self.batches, self.option) = (path, vendor, batches, option)
  }

  /// Writes the files that are missing, and returns how many. Throws `conflict` where the folder has
  /// anything else, before anything is written.
  ///
  /// - Parameter isStillTrue: Asked before the manifest is written; throws if the files may have what
  ///   they may not have any more. Then this run leaves none.
  func write(while isStillTrue: () async throws -> Void) async throws -> Int {
    try make()
    // Only one program at a time has it, so nobody else writes here.
    let draft = try DraftFile(of: manifestPath)
    defer { withExtendedLifetime(draft) {} }
    removeDrafts()
    let missing = try missingFiles()
    let hasManifest = try hasManifest()
    var written: [NewFile] = []
    do {
      for body in missing {
        try Task.checkCancellation()
        let file = try NewFile("\(path)/\(body.name)", for: option)
        try file.write(body.bytes)
        try file.finish()
        written.append(file)
      }
      try await isStillTrue()
    } catch let error as EngagementError where error.code == .conflict {
      for file in written.reversed() { file.takeBack() }
      throw error
    }
    guard !hasManifest else { return missing.count }
    try draft.write(manifest)
    try draft.finish()
    try DraftFile.place(draft.path, at: manifestPath, for: option)
    return missing.count
  }

  // MARK: What is there

  private var manifestPath: String { "\(path)/\(Self.manifestName)" }

  private func make() throws(EngagementError) {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR) else {
        throw DraftFile.noFolder(path, status)
      }
      return
    }
    guard mkdir(path, 0o700) == 0 else {
      throw DraftFile.failure("\(path) cannot be made.", errno)
    }
    try DraftFile.makeDurable(CommandContext.folder(of: path))
  }

  /// Removes what a killed run has left. Nobody else writes here now.
  private func removeDrafts() {
    for body in batches.bodies { unlink("\(path)/.\(body.name).engage-draft") }
  }

  private func missingFiles() throws -> [MigrationBatches.Body] {
    let names = Set(try ExportFolder.names(in: path).filter { !$0.hasPrefix(".") })
    let known = Set(batches.bodies.map(\.name) + [Self.manifestName])
    if let other = names.subtracting(known).min() { throw conflict(other) }
    var missing: [MigrationBatches.Body] = []
    for body in batches.bodies {
      guard names.contains(body.name) else {
        missing.append(body)
        continue
      }
      let file = try EventFile("\(path)/\(body.name)")
      guard file.size == body.bytes.count, try file.digest() == Self.digest(of: body) else {
        throw conflict(body.name)
      }
    }
    return missing
  }

  private func hasManifest() throws(EngagementError) -> Bool {
    guard access(manifestPath, F_OK) == 0 else { return false }
    guard try InputFile(manifestPath).bytes(atMost: 64 << 20) == manifest else {
      throw conflict(Self.manifestName)
    }
    return true
  }

  private func conflict(_ name: String) -> EngagementError {
    EngagementError(
      .conflict,
      "\(path) has \(name), which is of another export or of none; choose another --out.")
  }

  // MARK: The manifest

  private static func digest(of body: MigrationBatches.Body) -> String {
    SHA256.digest(of: body.bytes).description
  }

  /// The same people give the same bytes.
  private var manifest: [UInt8] {
    var reasons = JSONObject()
    for reason in MovingPerson.Suppression.allCases {
      if let count = batches.suppressed[reason] {
        reasons[reason.rawValue] = .integer(Int64(count))
      }
    }
    var lacking = JSONObject()
    for (field, count) in batches.lacking.sorted(by: { $0.key < $1.key }) {
      lacking[field] = .integer(Int64(count))
    }
    let object: JSONObject = [
      "version": 1, "for": .string(vendor.rawValue), "people": .integer(Int64(batches.moving)),
      "suppressed": .object(reasons), "refused": .integer(Int64(batches.refusals.count)),
      "lacking": .object(lacking), "files": .array(batches.bodies.map(Self.json)),
    ]
    return JSON.object(object).encoded() + [UInt8(ascii: "\n")]
  }

  private static func json(_ body: MigrationBatches.Body) -> JSON {
    var object: JSONObject = ["path": .string(body.name)]
    object["call"] = body.call.map(JSON.string)
    object["objects"] = .integer(Int64(body.objects))
    object["bytes"] = .integer(Int64(body.bytes.count))
    object["sha256"] = .string(digest(of: body))
    return .object(object)
  }
}
