extension Engagement {
  /// The part of an application that shows templates.
  ///
  /// One template is visible at a time, over all providers. The next one follows when the presenter
  /// calls `Presentation.dismissed()`, so a presenter must call it, also where the user swiped the
  /// template away.
  public protocol TemplatePresenter: Sendable {
    /// Shows the template and returns at once. Call `presentation.presented()` when it is visible and
    /// `presentation.dismissed()` when it is gone. If this throws, the next one is tried.
    func present(_ presentation: Presentation) throws

    /// Takes the template away and returns at once: its action says so, or its user has left. Call
    /// `presentation.dismissed()` when it is gone.
    func close(_ presentation: Presentation)
  }

  /// The part of an application that runs functions, which a campaign calls by itself or as the action
  /// of a template.
  public protocol FunctionPresenter: Sendable {
    /// Runs the function and returns at once. Call `presentation.presented()` when it has begun and
    /// `presentation.dismissed()` when it has ended. If this throws, the function counts as not run.
    func run(_ presentation: Presentation) throws

    /// Takes away what the function shows, because its user has left. By default there is nothing, and
    /// the function counts as ended. Call `presentation.dismissed()`.
    func close(_ presentation: Presentation)
  }
}

extension Engagement.FunctionPresenter {
  public func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }
}
