import EngagementJSON
import EngagementModel

/// What a server says, before anything happens to it on the way.
struct Reply: Sendable {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer in JSON.
  init(_ status: Int = 200, json: JSON) {
    self.init(status, headers: [("Content-Type", "application/json")], body: json.encoded())
  }

  /// The whole answer as bytes, for whoever spoils it on the way. The connection ends after it.
  var bytes: [UInt8] { head(ending: true) + body }

  /// The head with its empty line.
  func head(ending: Bool, length: Int? = nil) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(status < 400 ? "OK" : "Refused")\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    text += "Content-Length: \(length ?? body.count)\r\n"
    if ending { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }
}
