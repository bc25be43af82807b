import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import VibesFixtures

extension AppScene {
  /// An application with Vibes, whose user is present and allows everything. The vendor has been
  /// asked nothing yet.
  static func vibes(
    behind variant: KitVariant = .complete, user: User = "u-1",
    association: VibesConfiguration.Association = .onSignIn,
    _ script: @escaping ScriptedTransport.Script
  ) async throws -> AppScene {
    let scene = try await AppScene(
      "vibes", try Vibes.adapter(association: association), behind: variant,
      ScriptedTransport(script))
    if !user.isAnonymous { try await scene.engagement.signIn(user) }
    try await scene.engagement.setConsent(.full)
    return scene
  }

  /// `METHOD path` of everything that was asked, without the start that all paths have in common.
  var vibesLines: [String] {
    transport.lines.map { $0.replacing(Vibes.root, with: "") }
  }

  /// The `Authorization` of the requests whose method it is.
  func vibesTokens(_ method: HTTPMethod) -> [String?] {
    transport.requests.filter { $0.method == method }
      .map { $0.headers.secret("Authorization")?.revealed }
  }
}

extension KitVariant {
  /// A variant where some changes are lost on their way from an answer.
  static func losing(_ isLost: @escaping @Sendable (Change) -> Bool) -> KitVariant {
    .without { adapter in
      adapter.answer = { answer in
        Answer(answer.changes.filter { !isLost($0) }, answer.verdict)
      }
    }
  }
}
