import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// A file that a user has sent for a card.
struct AtomicServerFile: Hashable, Sendable {
  var user: String
  var card: String
  var name: String
  var bucket: String?
  var type: String
  var digest: SHA256.Digest

  /// Other images are converted by the client.
  static let types: [String: [UInt8]] = [
    "image/jpeg": [0xff, 0xd8, 0xff], "image/png": [0x89, 0x50, 0x4e, 0x47],
  ]
  static let limit = 10 << 20
}

/// Files, which come before the response that names them.
extension AtomicServer {
  mutating func take(
    file id: String, _ call: VendorRequest, by user: String, at now: Date
  ) -> VendorAnswer {
    guard let container = call.query("streamContainerId"), hasContainer(container),
      let card = call.query("cardInstanceId"), let name = call.query("filename"),
      !name.isEmpty, UUID(uuidString: id) != nil
    else { return failure(400, "A parameter is missing, or the file's id is no UUID") }
    let type = call.header("Content-Type") ?? ""
    guard let start = AtomicServerFile.types[type], call.body.starts(with: start) else {
      return failure(415, "The file is neither a JPEG nor a PNG")
    }
    guard call.body.count <= AtomicServerFile.limit else {
      return failure(413, "The file has more than 10 MB")
    }
    guard cards.contains(where: { $0.id.hasSameBytes(as: card) && $0.isIn(container) }) else {
      return failure(404, "The container has no such card")
    }
    let file = AtomicServerFile(
      user: user, card: card, name: name, bucket: call.query("bucketId"), type: type,
      digest: SHA256.digest(of: call.body))
    if let known = files[id] {
      // A client that got no answer sends it again.
      return known == file ? done("file again") : failure(409, "Another file has the id")
    }
    files[id] = file
    return done("file \(name)", effects: [VendorEffect("file", of: name, by: user, id: id)])
  }

  /// What is wrong with the files of a response to a card; nil if every file input that has a value has
  /// that of a file which the same user has sent for the card.
  func fault(inFilesOf values: JSONObject, to card: AtomicServerCard, by user: String) -> String? {
    for name in card.fileInputs {
      guard let value = values[name], value != .null else { continue }
      guard let file = value.string.flatMap({ files[$0] }), file.user == user,
        file.card.hasSameBytes(as: card.id)
      else { return "The value of \(name) is no file that was sent" }
    }
    return nil
  }
}
