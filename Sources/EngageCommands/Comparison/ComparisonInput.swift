import EngagementAnalytics
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Where the events of a comparison come from.
struct ComparisonInput {
  private let invocation: Invocation
  private let place: Place
  private let times: Range<Int64>
  /// The configured providers; none for files, which may be those of another application.
  let providers: [ProviderID]

  private enum Place {
    case cache(EngageConfiguration)
    case files([String])
  }

  /// What could not be read, and what was there twice.
  struct Losses {
    fileprivate(set) var faults: [String] = []
    fileprivate(set) var faultCount = 0
    fileprivate(set) var duplicates = 0

    fileprivate mutating func add(_ fault: String) {
      faultCount += 1
      if faults.count < 10 { faults.append(fault) }
    }
  }

  init(_ invocation: Invocation, since: Date? = nil, until: Date? = nil) throws {
    self.invocation = invocation
    let start = since.flatMap(Epoch.milliseconds) ?? .min
    times = start..<max(until.flatMap(Epoch.milliseconds) ?? .max, start)
    let paths = invocation.values(ComparisonOptions.from)
    guard paths.isEmpty else {
      place = .files(try Self.files(paths.map { invocation.context.path($0) }))
      providers = []
      return
    }
    let configuration = try invocation.configuration()
    guard CacheFile(configuration.cache).wasMade else {
      throw EngagementError(.notFound, "The cache is empty; run \"engage sync\".")
    }
    place = .cache(configuration)
    providers = configuration.providers.map(\.id)
  }

  /// The files, and those in the folders.
  private static func files(_ paths: [String]) throws(EngagementError) -> [String] {
    var files: [String] = []
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else {
        throw EngagementError(
          .unreadable, "\(path) cannot be read.", underlying: String(cString: strerror(errno)))
      }
      guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR) else {
        files.append(path)
        continue
      }
      let found = try ExportFolder.files(in: path).sorted()
      guard !found.isEmpty else {
        throw EngagementError(.notFound, "\(path) has no file of exported events.")
      }
      files += found.map { "\(path)/\($0)" }
    }
    return files
  }

  /// Hands over each event once.
  func read(_ body: @escaping (ObservedEvent) -> Void) async throws -> Losses {
    try await invocation.console.progress("Reading events …") {
      switch place {
      case .cache(let configuration): try await read(configuration, body)
      case .files(let paths): try read(paths, body)
      }
    }
  }

  // MARK: The cache

  private func read(
    _ configuration: EngageConfiguration, _ body: @escaping (ObservedEvent) -> Void
  ) async throws -> Losses {
    let reader = try await invocation.looking(configuration) { $0 }
    var sink = ObservedEventSink(times: times, body)
    var selection = EventSelection()
    selection.through = try reader.newestSequence
    var export = EventExport(selection, from: "") { $0.id?.rawValue }
    while try reader.writeEvents(of: &export, to: &sink) { try Task.checkCancellation() }
    return Losses()
  }

  // MARK: Files

  private func read(
    _ paths: [String], _ body: @escaping (ObservedEvent) -> Void
  ) throws -> Losses {
    var sink = ObservedEventSink(times: times, isDistinct: true, body)
    var losses = Losses()
    for path in paths {
      do {
        try EventFile(path).read { line, event in
          switch event {
          case .event(let record): record.send(to: &sink)
          case .fault(let fault): losses.add("\(path):\(line): \(fault)")
          }
        }
      } catch let error as EngagementError {
        losses.add("\(path): \(error.message)")
      }
    }
    losses.duplicates = sink.duplicates
    return losses
  }
}
