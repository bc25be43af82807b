import EngagementKit

/// Instead of a `CTTemplatePresenter` for each template: hands everything to the application's screen.
final class ShopPresenter: Engagement.TemplatePresenter, Engagement.FunctionPresenter {
  private let shown: AsyncStream<Engagement.Presentation>
  private let continuation: AsyncStream<Engagement.Presentation>.Continuation

  init() { (shown, continuation) = AsyncStream.makeStream() }

  /// What is to be shown or run next.
  func next() async -> Engagement.Presentation? {
    await shown.first { _ in true }
  }

  // Instead of onPresent.
  func present(_ presentation: Engagement.Presentation) { continuation.yield(presentation) }

  func run(_ presentation: Engagement.Presentation) { continuation.yield(presentation) }

  // Instead of onCloseClicked.
  func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }
}
