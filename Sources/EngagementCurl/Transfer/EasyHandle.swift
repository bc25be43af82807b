import CCurl
import EngagementModel

/// libcurl's handle for one transfer. It is reused for later transfers.
@safe final class EasyHandle {
  let raw: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let error: UnsafeMutablePointer<CChar>

  init() throws(EngagementError) {
    guard let raw = unsafe curl_easy_init() else {
      throw EngagementError(.internalFailure, "libcurl has no memory for a transfer.")
    }
    unsafe self.raw = raw
    unsafe error = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe error.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(raw)
    unsafe curl_slist_free_all(headers)
    unsafe error.deallocate()
  }

  /// Resets all options but keeps caches that later transfers can use.
  func reset() {
    unsafe curl_easy_reset(raw)
    unsafe curl_slist_free_all(headers)
    unsafe headers = nil
  }

  func set(_ option: CURLoption, _ number: Int) throws(EngagementError) {
    try Self.check(unsafe ccurl_set_number(raw, option, number))
  }

  func set(_ option: CURLoption, _ text: String) throws(EngagementError) {
    try Self.check(unsafe ccurl_set_text(raw, option, text))
  }

  func set(_ option: CURLoption, _ receiver: curl_write_callback) throws(EngagementError) {
    try Self.check(unsafe ccurl_set_receiver(raw, option, receiver))
  }

  /// The handle does not retain the value.
  func set(_ option: CURLoption, unretained value: AnyObject) throws(EngagementError) {
    let pointer = unsafe Unmanaged.passUnretained(value).toOpaque()
    try Self.check(unsafe ccurl_set_pointer(raw, option, pointer))
  }

  func setBeforeRequest(_ check: curl_prereq_callback) throws(EngagementError) {
    try Self.check(unsafe ccurl_set_before_request(raw, check))
  }

  func setWebOnly() throws(EngagementError) {
    try Self.check(unsafe ccurl_set_web_only(raw))
    try Self.check(unsafe ccurl_set_quick_exit(raw))
  }

  func setErrorText() throws(EngagementError) {
    unsafe error.pointee = 0
    try Self.check(unsafe ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, error))
  }

  /// Sets the body; libcurl copies the bytes.
  func setBody(_ body: [UInt8]) throws(EngagementError) {
    let size = curl_off_t(body.count)
    try Self.check(unsafe ccurl_set_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, size))
    try Self.check(unsafe ccurl_set_bytes(raw, CURLOPT_COPYPOSTFIELDS, body))
  }

  func setHeaders(_ lines: [String]) throws(EngagementError) {
    for line in lines {
      guard let longer = unsafe curl_slist_append(headers, line) else {
        throw EngagementError(.internalFailure, "libcurl has no memory for a header.")
      }
      unsafe headers = longer
    }
    try Self.check(unsafe ccurl_set_list(raw, CURLOPT_HTTPHEADER, headers))
  }

  /// libcurl's text on why the last transfer failed. It may contain parts of the request.
  var errorText: String { unsafe String(cString: error) }

  /// A number about the last transfer; zero if libcurl does not know it.
  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe ccurl_get_number(raw, info, &value) == CURLE_OK ? value : 0
  }

  /// When a phase of the last transfer ended, in microseconds; zero if it did not end.
  func time(_ info: CURLINFO) -> Int {
    var value = curl_off_t(0)
    return unsafe ccurl_get_size(raw, info, &value) == CURLE_OK ? Int(value) : 0
  }

  private static func check(_ code: CURLcode) throws(EngagementError) {
    guard code == CURLE_OK else {
      throw EngagementError(
        .internalFailure, "libcurl refuses an option: it is too old or out of memory.",
        underlying: "curl \(code.rawValue)")
    }
  }
}
