import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static let inspectPush = Command(
    name: ["push", "inspect"], summary: "find a push payload's vendor and show its content",
    discussion: """
      A payload has one owner, by the keys that vendors mark theirs with. Nothing is kept and nothing
      is sent. A payload without an owner prints nothing.
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
        guard let line = Decoding(adapter, .push).notification(in: push) else { continue }
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
