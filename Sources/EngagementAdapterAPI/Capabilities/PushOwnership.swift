package import EngagementModel

/// Who may be the owner of a push, by the keys that vendors mark theirs with.
package enum PushOwnership {
  /// The adapters to ask, in their order; none where the push bears the mark of a vendor that is
  /// not among them.
  package static func candidates<Candidate>(
    for push: JSON, among all: [Candidate], marks: (Candidate) -> PushMarks
  ) -> [Candidate] {
    let marked = all.filter { marks($0).areIn(push) }
    guard marked.isEmpty, stranger(of: push) == nil else { return marked }
    return all.filter { marks($0) == .none }
  }

  /// The vendor whose mark the push bears, of those whose clients an application may have beside
  /// this library.
  package static func stranger(of push: JSON) -> String? {
    known.first { $0.marks.areIn(push) || $0.inBody.map { push["body"]?[$0] != nil } ?? false }?
      .name
  }

  private struct Known {
    var name: String
    var marks = PushMarks.none
    /// A key inside the object `body`.
    var inBody: String?
  }

  private static let known = [
    Known(name: "Accengage", marks: PushMarks(keys: ["a4sid"])),
    Known(name: "Atomic", marks: PushMarks(keys: ["atomic"])),
    Known(name: "Braze", marks: PushMarks(keys: ["ab", "_ab"])),
    Known(name: "CleverTap", marks: PushMarks(prefixes: ["W$", "wzrk_"])),
    Known(name: "Customer.io", marks: PushMarks(keys: ["CIO-Delivery-ID"])),
    Known(name: "Iterable", marks: PushMarks(keys: ["itbl"])),
    Known(name: "Klaviyo", inBody: "_k"),
    Known(name: "PostHog", marks: PushMarks(keys: ["posthog"])),
  ]
}
