import EngagementVendors

extension VendorReply {
  /// The whole reply as bytes, for a fault that sends it by hand. The connection ends after it.
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
