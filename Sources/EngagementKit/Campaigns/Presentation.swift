public import EngagementModel

extension Engagement {
  /// One presentation of a template or run of a function.
  ///
  /// Its calls return at once, may come from any thread, and are recorded in order while `run()` runs.
  public final class Presentation: Sendable, Identifiable {
    /// Counts up with the campaigns that became due for the user.
    public let id: Int64
    public let campaign: ItemID
    public let template: Template
    /// The arguments: the template's defaults, replaced by what the campaign says.
    public let values: TemplateValues
    private let report: @Sendable (Report) -> Void

    /// What a presenter reports.
    enum Report: Sendable {
      case presented(Int64)
      case dismissed(Int64)
      case triggered(Int64, action: String)
    }

    init(
      id: Int64, campaign: ItemID, template: Template, values: TemplateValues,
      report: @escaping @Sendable (Report) -> Void
    ) {
      self.id = id
      self.campaign = campaign
      self.template = template
      self.values = values
      self.report = report
    }

    /// The template is visible, or the function has begun. Counted once; the vendor is told, except of
    /// a function that an action called.
    public func presented() { report(.presented(id)) }

    /// The template is gone, or the function has ended. Later calls change nothing.
    public func dismissed() { report(.dismissed(id)) }

    /// The user chose an action: the vendor is told of a click, and what the campaign chose for the
    /// action happens. Nothing happens for a name that is no action of the template.
    public func trigger(_ action: String) { report(.triggered(id, action: action)) }
  }

  /// Whether templates and functions are presented.
  @nonexhaustive public enum PresentationMode: String, Hashable, Sendable, CaseIterable {
    /// They are, one after the other.
    case running
    /// None is, and all that are due wait.
    case suspended
    /// What would be presented is dropped.
    case discarding
  }
}
