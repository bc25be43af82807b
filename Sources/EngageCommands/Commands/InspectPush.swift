import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension Command {
  static let inspectPush = Command(
    name: ["push", "inspect"], summary: "find a push payload's vendor and show its content",
    discussion: """
      A payload has one owner, by the keys that vendors mark theirs with. Nothing is kept and nothing
      is sent. A payload without an owner prints nothing.

      Where there is a cache, isSuperseded says whether pushes have moved from the owner to another
      provider, so that an application does not show the payload.
      """,
    arguments: [
      Argument(
        name: "FILE", help: "the payload as JSON; - reads standard input", completion: .files)
    ],
    examples: [
      Example("engage push inspect payload.json", "a payload in a file"),
      Example("pbpaste | engage push inspect - --json", "one from elsewhere"),
    ],
    run: { invocation in
      let bytes = try invocation.bytes(of: try invocation.argument())
      let push = try Decoding.payload(in: bytes)
      let all = try invocation.vendors.available.compactMap { try $0.makeReader?() }
      let candidates = PushOwnership.candidates(for: push, among: all) {
        $0.capabilities.pushMarks
      }
      for adapter in candidates {
        guard var line = Decoding(adapter, .push).notification(in: push) else { continue }
        if let move = try await invocation.pushMove(from: adapter.vendor) {
          line["isSuperseded"] = true
          invocation.console.note(
            "Pushes have moved from \(move.from) to \(move.to): an application does not show this one."
          )
        }
        try invocation.console.fields(line)
        try invocation.console.object(line)
        return .done
      }
      invocation.console.note(
        PushOwnership.stranger(of: push).map { "The payload is \($0)'s." }
          ?? "The payload is no push of a vendor that this version knows.")
      return .done
    })
}

extension Invocation {
  /// The plan by which pushes have moved away from the vendor; nil if they have not, or if there is no cache.
  fileprivate func pushMove(from vendor: Vendor) async throws -> Engagement.MigrationPlan? {
    let path = ConfigurationReader.path(value(.config), in: context)
    guard access(path, F_OK) == 0 else { return nil }
    let configuration = try configuration()
    guard CacheFile(configuration.cache).wasMade else { return nil }
    let own = configuration.providers.filter { $0.adapter.vendor == vendor }.map(\.id)
    return try await reading(configuration) { engagement in
      let plan = try await engagement.migrations().first {
        $0.surface == .push && $0.stage.percent > 0 && !$0.isHeldOut && own.contains($0.plan.from)
      }?.plan
      // A payload names its vendor, and not which of two providers of one vendor.
      return plan.flatMap { own.contains($0.to) ? nil : $0 }
    }
  }

  private static let longestInput = 64 << 20

  /// What is in the file, or comes on standard input for `-`.
  func bytes(of file: String) throws -> [UInt8] {
    if file == "-" { return try context.input() }
    do throws(EngagementError) {
      return try InputFile(context.path(file)).bytes(atMost: Self.longestInput)
    } catch {
      var named = error
      named.message = "\(file) cannot be read."
      throw named
    }
  }
}
