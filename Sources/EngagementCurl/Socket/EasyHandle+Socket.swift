import CCurl
import EngagementHTTP
import EngagementModel

extension EasyHandle {
  /// Sets all options of a connection for a web socket. The handle must be new.
  func prepare(for channel: SocketChannel, within limits: Limits) throws(EngagementError) {
    try setTarget(channel.order.connection, by: channel.order.proxy)
    // Only HTTP/1.1 upgrades, and a connection that is kept for requests is theirs.
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_FRESH_CONNECT, 1)
    try set(CURLOPT_CONNECT_ONLY, 1)
    try setLimits(limits)
    try setTrust(limits)
    try set(CURLOPT_PRIVATE, unretained: channel)
  }

  /// The descriptor of a connection that was only made.
  var activeSocket: Int32? {
    var socket = CURL_SOCKET_BAD
    return unsafe ccurl_get_socket(raw, &socket) == CURLE_OK && socket != CURL_SOCKET_BAD
      ? socket : nil
  }

  /// What a connection brought.
  enum Received {
    case bytes([UInt8])
    /// The peer has closed it, or it broke.
    case end
  }

  /// The next bytes; nil if none are there yet.
  func receive() -> Received? {
    var code = CURLE_OK
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      unsafe code = curl_easy_recv(raw, buffer.baseAddress, buffer.count, &count)
    }
    if code == CURLE_AGAIN { return nil }
    return code == CURLE_OK && !bytes.isEmpty ? .bytes(bytes) : .end
  }

  /// What became of bytes.
  enum Sent {
    case bytes(Int)
    /// Nothing can be written now. The same bytes have to be written next.
    case blocked
    case broken
  }

  func send(_ bytes: ArraySlice<UInt8>) -> Sent {
    var count = 0
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe curl_easy_send(raw, bytes.baseAddress, bytes.count, &count)
    }
    if code == CURLE_AGAIN { return .blocked }
    return code == CURLE_OK ? .bytes(count) : .broken
  }
}
