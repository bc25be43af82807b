import CJansson

extension Document {
  /// The version of jansson at run time, such as `2.14`.
  package static var libraryVersion: String {
    guard let version = unsafe jansson_version_str() else { return "unknown" }
    return unsafe String(cString: version)
  }
}
