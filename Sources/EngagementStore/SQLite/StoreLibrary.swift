import CSQLite

/// The library that keeps the cache, as it is at run time.
package enum StoreLibrary {
  /// Such as `3.40.1`.
  package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}
