package import EngagementAdapterAPI
package import EngagementModel

/// A reader that all tasks of a process share, on a thread of its own: the disk keeps no other
/// task waiting.
package actor SharedReader {
  private let executor: StoreExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.unowned }

  private let path: String
  private let adapters: [ProviderID: any EngagementAdapter]
  private var reader: StoreReader?

  /// Opens a cache that is there; `notFound` where none is.
  package static func open(
    path: String, adapters: [ProviderID: any EngagementAdapter]
  ) async throws(EngagementError) -> SharedReader {
    let shared = SharedReader(path: path, adapters: adapters, on: try StoreExecutor())
    try await shared.open()
    return shared
  }

  private init(
    path: String, adapters: [ProviderID: any EngagementAdapter], on executor: StoreExecutor
  ) {
    self.path = path
    self.adapters = adapters
    self.executor = executor
  }

  private func open() throws(EngagementError) {
    reader = try StoreReader(path: path, adapters: adapters)
  }

  /// Everything that the body reads is as one transaction left it.
  package func atOnce<Value: Sendable>(
    _ body: @Sendable (inout StoreReader) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    if reader == nil { try open() }
    guard let value = try reader?.atOnce(body) else {
      throw EngagementError(.internalFailure, "The cache is not open for reading")
    }
    return value
  }
}
