import EngagementFormats
import EngagementModel
import EngagementVendors

/// `GET /files/{name}`: what campaigns and messages refer to.
extension CleverTapServer {
  private static let sizeLimit: Int64 = 64 << 20

  /// The vendor keeps its files elsewhere, so a download carries neither account nor token.
  func file(_ name: String, _ call: VendorRequest) -> VendorAnswer {
    let secrets = ["X-CleverTap-Account-Id", "X-CleverTap-Token"]
    guard secrets.allSatisfy({ call.header($0) == nil }) else {
      return CleverTapRefusal(400, "No client sends its account with a download").answer
    }
    guard let file = files.first(where: { $0.name == name }) else {
      return CleverTapRefusal(404, "There is no such file").answer
    }
    var reply = VendorReply(
      Int(file.status), headers: [("Content-Type", file.contentType)], body: file.bytes)
    if let place = file.redirect {
      reply = VendorReply(302, headers: [("Location", place)])
    }
    return VendorAnswer(
      reply: reply, effects: [VendorEffect("download", of: name, by: "")],
      summary: "file \(name)")
  }

  /// Adds a file, or replaces one: `file` is its name, `text` or `base64` what is in it, `size` the
  /// length to which zeros fill it up.
  mutating func put(file json: JSON) throws(EngagementError) -> JSON {
    let fields = try SettingFields(
      json, allowed: ["file", "contentType", "text", "base64", "size", "status", "redirect"],
      prefix: "file.")
    guard let name = try fields.text("file"), !name.isEmpty, !name.contains("/") else {
      throw fields.wrong("file", "empty, or a path")
    }
    var bytes = Array((try fields.text("text") ?? "").utf8)
    if let text = try fields.text("base64") {
      guard let decoded = Base64.bytes(from: text) else { throw fields.wrong("base64", "none") }
      bytes = decoded
    }
    if let size = try fields.count("size") {
      guard (Int64(bytes.count)...Self.sizeLimit).contains(size) else {
        throw fields.wrong("size", "less than what is in the file, or too much")
      }
      bytes += Array(repeating: 0, count: Int(size) - bytes.count)
    }
    let status = try fields.count("status") ?? 200
    guard (200...599).contains(status) else { throw fields.wrong("status", "none of an answer") }
    let file = CleverTapFile(
      name: name, contentType: try fields.text("contentType") ?? "application/octet-stream",
      bytes: bytes, status: status, redirect: try fields.text("redirect"))
    files.removeAll { $0.name == name }
    files.append(file)
    return file.json
  }
}
