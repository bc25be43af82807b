import EngagementAdapterAPI
import EngagementFormats
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Takes back a submission that waits for its files or has not been sent: the card is there again, and
  /// no more of its files is sent. Returns whether there was one; false if the vendor may have it by now.
  ///
  /// What has arrived of its files stays with the vendor. The submission's receipt ends as discarded.
  public func cancelSubmission(of card: Card) async throws(EngagementError) -> Bool {
    try lifecycle.checkOpen()
    let partition = dependencies.currentUser.userSession.partition
    let report = try await dependencies.store.cancelSubmission(
      of: card.id, in: partition, at: dependencies.clock.now)
    guard let report else { return false }
    await dependencies.commitPublisher.publish(report, of: partition)
    return true
  }

  /// Accepts a submission together with the files of its form.
  func submit(
    _ action: ItemAction, with form: CardForm, on card: Card
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.userSession
    let provider = try dependencies.provider(card.id.provider)
    let verb = Operation.Verb.upload
    guard provider.adapter.capabilities.ability(verb).travel == .request else {
      throw EngagementError(
        .unsupported, "\(provider.id) takes no files.", provider: provider.id,
        operation: verb.rawValue)
    }
    guard case .submit(let button, var values) = action else {
      throw EngagementError(.internalFailure, "A form is not submitted.", provider: provider.id)
    }
    var files: [ChosenFile] = []
    for input in form.inputs {
      guard let file = form.files[input.name] else { continue }
      let chosen = ChosenFile(
        file: try await readyForVendors(file, in: input), bucket: input.bucket,
        key: dependencies.key())
      files.append(chosen)
      values[input.name] = .string(chosen.id)
    }
    return try await accept(
      .submit(button: button, values: values), with: files, on: card.id, as: userSession)
  }

  /// A file that is accepted with a submission.
  struct ChosenFile: Sendable {
    var file: CardFile
    var bucket: String?
    var key: OperationKey

    /// What the submission calls the file.
    var id: String { key.id(0) }

    func upload(about item: ItemReference, in submission: OperationKey) -> Operation.Upload {
      Operation.Upload(
        fileName: file.name, contentType: file.format.contentType,
        digest: SHA256.digest(of: file.bytes).description, byteCount: file.bytes.count,
        bucket: bucket, item: item, submission: submission)
    }
  }

  // MARK: Conversion

  /// The file as JPEG or PNG, if the input takes that.
  private func readyForVendors(
    _ file: CardFile, in input: CardForm.Input
  ) async throws(EngagementError) -> CardFile {
    let ready = [.jpeg, .png].contains(file.format) ? file : try await converted(file)
    guard input.takes(ready.format.contentType) else {
      let types = input.contentTypes.joined(separator: ", ")
      throw EngagementError(
        .invalidArgument, "\(input.name) takes no \(ready.format.contentType), only \(types).",
        operation: "submit")
    }
    return ready
  }

  private func converted(_ file: CardFile) async throws(EngagementError) -> CardFile {
    guard let imageConverter else {
      throw EngagementError(
        .unsupported, "\(file.name) is no JPEG or PNG, and Options.imageConverter is not set.",
        operation: "upload")
    }
    let bytes: [UInt8]
    do {
      bytes = try await imageConverter(file.bytes)
    } catch {
      throw EngagementError(
        .invalidArgument, "\(file.name) could not be converted to JPEG.", operation: "upload",
        underlying: "\(type(of: error))")
    }
    let stem = file.name.lastIndex(of: ".").map { file.name[..<$0] } ?? file.name[...]
    let jpeg = try CardFile(name: "\(stem.isEmpty ? file.name[...] : stem).jpg", bytes: bytes)
    guard jpeg.format == .jpeg else {
      throw EngagementError(
        .invalidArgument, "The converter made no JPEG of \(file.name).", operation: "upload")
    }
    return jpeg
  }
}
