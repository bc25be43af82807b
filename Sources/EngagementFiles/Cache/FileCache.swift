package import EngagementHTTP
package import EngagementModel
package import EngagementPlatform

/// A file that is kept on this machine.
package struct KeptFile: Hashable, Sendable {
  /// Where it is. The file stays there until its owner is erased or `clean` removes it.
  package let path: String
  /// The SHA-256 of the contents, in hexadecimal digits.
  package let digest: String
  package let byteCount: Int
  /// The type that the server named, such as `image/png`, without parameters.
  package let contentType: String
}

/// Files that campaigns name by URL, downloaded once and kept beside the cache.
///
/// Contents are kept under their digest, once for all campaigns and owners. Each owner has a
/// reference per URL; the last use of a reference is its time of modification. A changed URL is
/// another file. No URL and no owner's name can be read from the folder, and no name of a file is
/// taken from a URL.
///
/// Several processes may use one folder. A process that is killed leaves at most a part of a
/// download, which `clean` and each erasure remove. An error leaves nothing.
package final class FileCache: Sendable {
  private let folder: FileFolder
  private let limits: Limits
  private let hosts: AllowedHosts
  private let transport: any HTTPTransport
  private let fetches = SharedFetches()
  private let slots: TransferSlots

  /// Names a folder, which is made for its owner alone when the first file is fetched.
  ///
  /// - Parameters:
  ///   - hosts: The hosts that the application allows; none by default.
  ///   - now: The time, for the last use of files.
  /// - Throws: `invalidConfiguration` with the wrong field.
  package init(
    folder: String, limits: Limits = Limits(), hosts: AllowedHosts = [],
    transport: any HTTPTransport, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(EngagementError) {
    self.folder = try FileFolder(folder, now: now)
    self.limits = try limits.validated()
    self.hosts = hosts
    self.transport = transport
    slots = TransferSlots(limits.transfers)
  }

  /// The file of a URL, downloaded unless it is kept already.
  ///
  /// A kept file is compared with its digest, and downloaded again if it differs. Concurrent calls
  /// for one URL share one request. The request has no credentials and no cookies, and a redirect is
  /// not followed.
  ///
  /// - Parameter isHeld: Whether the owner is still known. It is asked again if any owner is erased
  ///   before the file is kept, in this process or another; false throws `cancelled`.
  /// - Throws: `permissionDenied` for a host that is not allowed, or for plain text to another
  ///   machine; `notFound`, `unauthenticated`, `rateLimited` and `unavailable` for the server's
  ///   refusals; `unsupported` for a redirect or a type that is not allowed; `malformedResponse` for
  ///   a file that is too large, cut, or of another type than it says; `deadlineExceeded` after the
  ///   time limit; `storage` if the disk is full; and the codes of the transport.
  package func fetch(
    _ url: String, for owner: String, isHeld: @Sendable () async -> Bool = { true }
  ) async throws(EngagementError) -> KeptFile {
    let source = try source(url)
    let place = FilePlace(url: source, owner: owner)
    while true {
      // In this order: an erasure that the answer does not know changes the count.
      let erasures = try folder.erasureCount()
      guard await isHeld() else { throw Self.cancelled }
      switch fetches.join(place.url) {
      case .lead(let fetch):
        let result = await result(of: source, at: place, since: erasures)
        fetches.end(fetch, of: place.url, SharedFetch.End(result, for: place.owner))
        if case .failure(let error) = result, error.code == .conflict { continue }
        return try result.get()
      case .follow(let fetch):
        guard let end = await fetch.end() else { throw Self.cancelled }
        if let result = end.result(for: place.owner) { return try result.get() }
      }
    }
  }

  /// The path of a kept file, without a request; nil if it has to be fetched. Renews its use.
  ///
  /// Looks at the file's kind and size and does not read it: its digest was checked when it was
  /// written, and `fetch` checks it again.
  package func path(of url: String, for owner: String) -> String? {
    guard let source = try? source(url) else { return nil }
    return (try? folder.file(at: FilePlace(url: source, owner: owner), reads: false))?.path
  }

  /// Ends the references of an owner, and removes every file without another reference. A fetch that is
  /// under way, in any process, keeps nothing before it has asked whether its owner is still known.
  /// Throws `storage` if anything is still there.
  package func erase(owner: String) async throws(EngagementError) {
    let name = FilePlace.name(ofOwner: owner)
    let folder = folder
    try await onOwnThread { () throws(EngagementError) in try folder.erase(owner: name) }
  }

  /// What `clean` removed.
  package struct CleaningReport: Hashable, Sendable {
    /// References that were not used for two weeks.
    package var expired = 0
    /// Files that were removed to keep the total size, those first that were not used for longest.
    package var evicted = 0
    /// Parts of downloads of processes that were killed.
    package var leftovers = 0

    package init() {}
  }

  /// Ends the references that were not used for two weeks, removes parts of downloads that are older
  /// than an hour, and removes files until their total size is allowed. Call it at start and after
  /// files were fetched.
  @discardableResult
  package func clean() async throws(EngagementError) -> CleaningReport {
    let (folder, most) = (folder, limits.totalBytes)
    return try await onOwnThread { () throws(EngagementError) in try folder.clean(toBytes: most) }
  }

  static let cancelled = EngagementError(.cancelled, "The fetch of a file was cancelled.")
}

extension FileCache {
  /// The checked URL. `AllowedHosts` refuses plain text to other machines.
  private func source(_ text: String) throws(EngagementError) -> HTTPURL {
    let url = try HTTPURL(text)
    guard !url.scheme.isSocket else {
      throw EngagementError(.invalidArgument, "A file has an https URL.")
    }
    guard hosts.allows(url) else {
      throw EngagementError(
        .permissionDenied, "A file is on a host that is not allowed: allow the host for files.")
    }
    return url
  }

  private func result(
    of source: HTTPURL, at place: FilePlace, since erasures: Int
  ) async -> Result<KeptFile, EngagementError> {
    do throws(EngagementError) {
      try await slots.enter()
      defer { slots.leave() }
      let folder = folder
      let kept = try await onOwnThread { () throws(EngagementError) -> KeptFile? in
        if let own = try folder.file(at: place, reads: true) { return own }
        return try folder.fileOfOthers(at: place, since: erasures)
      }
      if let kept { return .success(kept) }
      return .success(try await download(source, to: place, since: erasures))
    } catch {
      return .failure(error)
    }
  }

  private func download(
    _ source: HTTPURL, to place: FilePlace, since erasures: Int
  ) async throws(EngagementError) -> KeptFile {
    let download = FileDownload(to: folder, within: limits)
    defer { download.end() }
    var request = HTTPRequest(.get, source.text)
    try request.headers.append("Accept", limits.contentTypes.sorted().joined(separator: ", "))
    // The length that the server declares is then that of the file.
    try request.headers.append("Accept-Encoding", "identity")
    let (transport, sent, most) = (transport, request, limits.fileBytes)
    _ = try await withinTime(limits.transferTime) { () async throws(EngagementError) in
      try await transport.receive(sent, limit: most, into: download)
    }
    return try await onOwnThread { () throws(EngagementError) in
      try download.keep(at: place, since: erasures)
    }
  }
}
