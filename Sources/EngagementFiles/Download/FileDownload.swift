import EngagementFormats
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// One download: it checks the response and writes and hashes its body while it arrives.
final class FileDownload: ResponseReceiver {
  private let folder: FileFolder
  private let limits: FileCache.Limits
  private let state = Locked(State())

  /// What changes, behind the lock.
  private struct State {
    var incoming: IncomingFile?
    var contentType = ""
    var declared: Int?
    var hash = SHA256()
    var head: [UInt8] = []
    var byteCount = 0

    /// Whether the first bytes are those of the type.
    func checkHead() throws(EngagementError) {
      guard ContentType.matches(contentType, head) else {
        throw EngagementError(
          .malformedResponse, "A file is not of the type that its server names.")
      }
    }
  }

  init(to folder: FileFolder, within limits: FileCache.Limits) {
    self.folder = folder
    self.limits = limits
  }

  func begin(_ head: HTTPResponse) throws(EngagementError) {
    if let refusal = ResponseRefusal.error(for: head, now: folder.now()) { throw refusal }
    let type = head.headers.first("Content-Type").flatMap(ContentType.type(inHeader:))
    guard let type, limits.contentTypes.contains(type) else {
      throw EngagementError(.unsupported, "A file has a type that is not allowed.")
    }
    // The request forbids an encoding. Nothing tells whether an encoded file is whole, also where the
    // transport has decoded it.
    guard Self.isPlain(head.headers) else {
      throw EngagementError(
        .unsupported, "A file comes encoded: let its server send files as they are.")
    }
    let declared = try declaredLength(of: head)
    if let declared, declared > limits.fileBytes { throw Self.tooLarge }
    try state.withLock { (state) throws(EngagementError) in
      state.contentType = type
      state.declared = declared
      state.incoming = try folder.makeIncoming(
        byteCount: declared, reserve: limits.diskReserve)
    }
  }

  func take(_ bytes: RawSpan) throws(EngagementError) {
    try state.withLock { (state) throws(EngagementError) in
      guard let incoming = state.incoming else { return }
      guard bytes.byteCount <= limits.fileBytes - state.byteCount else { throw Self.tooLarge }
      state.byteCount += bytes.byteCount
      if state.head.count < ContentType.headSize {
        let more = bytes.extracting(first: ContentType.headSize - state.head.count)
        state.head += unsafe more.withUnsafeBytes { unsafe Array($0) }
        // A wrong file ends early, and not after its last byte.
        if state.head.count >= ContentType.headSize { try state.checkHead() }
      }
      // Others write to the disk too, and not every head declares a length.
      try incoming.write(bytes, leaving: limits.diskReserve)
      state.hash.update(bytes)
    }
  }

  /// Makes the whole file durable and puts it in its place.
  ///
  /// - Parameter erasures: The count when the fetch began; another one now throws `conflict`.
  func keep(at place: FilePlace, since erasures: Int) throws(EngagementError) -> KeptFile {
    // The transfer is over, so nothing changes any more.
    let state = state.withLock { $0 }
    guard let incoming = state.incoming else { throw Self.cut }
    if let declared = state.declared, declared != state.byteCount { throw Self.cut }
    try state.checkHead()
    try incoming.sync()
    let reference = FileReference(
      digest: state.hash.digest().description, byteCount: state.byteCount,
      contentType: state.contentType)
    return try folder.keep(incoming, as: reference, at: place, since: erasures)
  }

  /// Closes the file, and removes what was not kept.
  func end() {
    state.withLock { state in
      state.incoming?.remove()
      state.incoming = nil
    }
  }

  /// Whether the body is the file itself, by every header of the two kinds that say otherwise.
  private static func isPlain(_ headers: HTTPHeaders) -> Bool {
    func codings(_ name: String) -> [String] {
      headers.all(name).flatMap { $0.split(separator: ",") }
        .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    }
    return codings("Content-Encoding").allSatisfy { ["", "identity"].contains($0) }
      && codings("Transfer-Encoding").allSatisfy { ["", "identity", "chunked"].contains($0) }
  }

  /// The length that the head declares; nil if it declares none.
  private func declaredLength(of head: HTTPResponse) throws(EngagementError) -> Int? {
    guard let text = head.headers.first("Content-Length") else { return nil }
    guard let length = Int(text), length >= 0 else { throw Self.cut }
    return length
  }

  private static let cut = EngagementError(
    .malformedResponse, "A file is shorter or longer than its server says: try again.")
  private static let tooLarge = EngagementError(
    .malformedResponse, "A file is larger than the limit for files.")
}

/// The errors for responses that bring no file.
enum ResponseRefusal {
  static func error(for head: HTTPResponse, now: Date) -> EngagementError? {
    guard head.status != 200 else { return nil }
    let (code, message) = reason(for: head.status)
    return EngagementError(
      code, message, retryAfter: head.retryAfter(now: now), underlying: "HTTP \(head.status)")
  }

  private static func reason(for status: Int) -> (EngagementError.Code, String) {
    switch status {
    case 300..<400: (.unsupported, "A file's server redirects: name the file's own URL.")
    case 401: (.unauthenticated, "A file needs credentials: name a URL that needs none.")
    case 403: (.permissionDenied, "A file's server forbids it: check the file's URL.")
    case 404, 410: (.notFound, "There is no file at its URL: check the URL.")
    case 429: (.rateLimited, "A file's server was asked too often: try again later.")
    case 400..<500: (.invalidArgument, "A file's server refuses the request: check the URL.")
    case 500..<600: (.unavailable, "A file's server has failed: try again later.")
    default: (.malformedResponse, "A file's server did not send the file.")
    }
  }
}
