import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// Sets whether the templates of campaigns are presented. They are until this is called, while the
  /// application is active and `run()` runs. What is visible stays visible. A new process begins with
  /// `running`.
  public func setPresentationMode(_ mode: PresentationMode) { presentations.setMode(mode) }

  /// Presents what is due now, for a program that does not keep `run()` running. Returns when nothing
  /// is visible or due any more; false if the time is up before, or if another process of the cache
  /// presents what is due.
  @discardableResult public func presentDueTemplates(
    within limit: Duration
  ) async throws(EngagementError) -> Bool {
    try lifecycle.checkOpen()
    return await presentations.presentDue(within: limit)
  }

  /// Presents a template with these values, or runs a function with them, to try the definition and its
  /// presenter without a campaign. It comes before everything that waits, and ends after an hour if
  /// nothing can be presented. The ledger has it as the campaign `preview`; no vendor is told, and no
  /// cap counts it.
  ///
  /// Throws `notFound` if the provider has no template of that name, and `invalidArgument`, which names
  /// the argument, for a value that is not the template's.
  ///
  /// - Parameter arguments: By flat dotted name. An action is neutral JSON, such as
  ///   `{"action": "close"}`.
  public func previewTemplate(
    _ name: String, of provider: ProviderID, with arguments: JSONObject = [:]
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await presentations.preview(
      name, of: try dependencies.provider(provider), with: arguments)
  }

  /// Sends the definitions of the provider's templates to the vendor's dashboard, so that campaigns can
  /// use them. It takes no outbox: it is for the people who build the application.
  ///
  /// Throws `unsupported`, before any request, unless the provider is configured for a debug build, and
  /// `permissionDenied` with what to change in the dashboard if the vendor refuses the profile.
  public func syncTemplates(with provider: ProviderID) async throws(EngagementError) {
    try lifecycle.checkOpen()
    let adapter = try dependencies.provider(provider).adapter
    guard adapter.capabilities.ability(.campaigns).travel != .unsupported else {
      throw EngagementError(
        .unsupported, "The vendor has no templates of applications.", provider: provider)
    }
    guard adapter.capabilities.ability(.templates).travel != .unsupported else {
      throw EngagementError(
        .unsupported,
        "The provider is not configured for a debug build, and no other build sends templates.",
        provider: provider)
    }
    let templates = presentations.templates.templates(of: provider).map(\.template)
    guard !templates.isEmpty else {
      throw EngagementError(
        .invalidArgument, "No templates are defined for the provider, so there is nothing to send.",
        provider: provider)
    }
    switch await execute(.templates(templates), with: provider, isUserRequested: true) {
    case .done: return
    case .wait:
      throw EngagementError(
        .rateLimited, "The vendor asks for a pause; try again later.", provider: provider)
    case .partly:
      throw EngagementError(
        .internalFailure, "The vendor took some of the templates.", provider: provider)
    case .retry(let error), .refused(let error), .cancelled(let error, _): throw error
    }
  }
}
