import EngagementKit
import Testing

@Suite struct SwiftLogBridgeTests {
  @Test("the bridge of the guide hands on level, text and provider")
  func bridge() throws {
    // The bridge calls its logger before it returns, so on this thread.
    nonisolated(unsafe) var lines: [String] = []
    let logger = Logger(label: "shop", logLevel: .warning) { level, text, metadata in
      lines.append("\(level) \(text) \(metadata)")
    }
    let bridge = SwiftLogBridge(logger: logger)
    #expect(bridge.level == .warning)
    bridge.log(.init(.warning, "events failed for now", provider: "braze"))
    bridge.log(.init(.error, "no disk"))
    let provider = Logger.MetadataValue.string("braze")
    #expect(
      lines == ["warning events failed for now \(["provider": provider])", "error no disk [:]"])
  }
}
