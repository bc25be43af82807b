#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file of the cache, looked at from outside.
struct CacheFile {
  let path: String

  init(_ path: String) { self.path = path }

  /// Whether anything was ever kept there.
  var exists: Bool { access(path, F_OK) == 0 }
}
