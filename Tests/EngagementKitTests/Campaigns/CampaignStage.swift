import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting

@testable import EngagementKit

/// An engagement whose vendor has campaigns, with a presenter that notes what it gets.
struct CampaignStage: Sendable {
  let stage: Stage
  let presenter = NotingPresenter()
  var engagement: Engagement { stage.engagement }

  static let provider: ProviderID = "p"

  /// - Parameter define: The templates; by default `offer` with a text, a link and an action.
  init(
    at place: Stage.Place? = nil, presentations: Options.Presentations? = nil,
    signsIn: Bool = true,
    files: @escaping @Sendable (HTTPRequest) async -> HTTPResponse? = { _ in nil },
    define: (NotingPresenter) throws -> [PresentedTemplate] = Self.offers
  ) async throws {
    stage = try await Stage(
      [Self.adapter], templates: [Self.provider: define(presenter)],
      presentations: presentations ?? .init(withoutScene: true), at: place
    ) { request in await files(request) ?? .json(200, "[]") }
    if signsIn { try await stage.signIn(User(UserID("u-1")), consent: .full) }
  }

  static var adapter: PuppetAdapter {
    var adapter = PuppetAdapter(
      provider,
      abilities: PuppetAdapter.able.merging(
        [.campaigns: .idempotentRequest, .events: .request, .templates: .idempotentRequest]
      ) { $1 })
    adapter.capabilities.eventKinds = [.custom, .templatePresented, .click]
    adapter.capabilities.reservedTemplates = ["own"]
    return adapter
  }

  static func offers(_ presenter: NotingPresenter) throws -> [PresentedTemplate] {
    [
      .template(
        try Template.template("offer").string("title", default: "Hello").action("more"),
        shownBy: presenter),
      .function(try Template.function("rate", isVisual: false), runBy: presenter),
      .function(try Template.function("confirm", isVisual: true), runBy: presenter),
    ]
  }

  // MARK: What happens

  /// The vendor's list is these campaigns.
  func list(_ campaigns: Campaign...) async throws {
    try await engagement.commit(
      [.items(.campaigns, .replace(.nothing), campaigns.enumerated().map { RawItem($0, $1) })],
      from: Self.provider)
  }

  /// The vendor wants these presented now.
  func deliver(_ campaigns: Campaign...) async throws {
    try await engagement.commit(
      [.items(.dueCampaigns, .put, campaigns.enumerated().map { RawItem($0, $1) })],
      from: Self.provider)
  }

  /// Does all that can be done now, as `run()` would.
  func settle() async { await engagement.presentations.settle() }

  /// The kinds in the ledger with their reasons, of those that concern campaigns.
  func story() async throws -> [String] {
    try await engagement.events().filter { $0.item?.surface == .campaigns }.map { event in
      let detail =
        event.properties["reason"]?.string ?? event.properties["trigger"]?.string
        ?? event.properties["button"]?.string
      return [event.kind.rawValue, event.item?.id.value ?? "", detail].compactMap(\.self)
        .joined(separator: " ")
    }
  }

  /// The kinds of the events that wait to be sent.
  func waitingEvents() async throws -> [EngagementEvent.Kind] {
    try await stage.waiting(for: Self.provider, of: User(UserID("u-1"))).compactMap {
      if case .event(let event) = $0 { event.kind } else { nil }
    }
  }

  /// Which campaigns are queued.
  func queued() async throws -> [String] {
    let partition = engagement.dependencies.currentUser.userSession.partition
    return try await engagement.dependencies.store.queuedCampaigns(of: partition, after: 0)
      .map(\.campaign.id.value)
  }
}

extension Presentations {
  /// Takes turns until nothing is left that can be done now, without the time that passes.
  func settle() async {
    while true {
      let seen = signal.count
      let later = await takeTurn()
      for task in later.tasks { await carryOut(task) }
      if signal.count == seen { return }
    }
  }
}

extension Campaign {
  /// A campaign of the template, due when the event happens.
  static func due(
    _ id: String, on event: String? = nil, of template: String = "offer",
    _ change: (inout Campaign) -> Void = { _ in }
  ) -> Campaign {
    var campaign = Campaign(
      ItemID(CampaignStage.provider, id), vendor: "puppet", template: template)
    campaign.triggers = event.map { [Trigger($0)] } ?? []
    change(&campaign)
    return campaign
  }
}

extension RawItem {
  init(_ index: Int, _ campaign: Campaign) {
    self.init(index: index, bytes: campaign.json.encoded()[...])
  }
}

/// Notes what it gets, and reports as the test says.
final class NotingPresenter: TemplatePresenter, FunctionPresenter {
  private struct Notes {
    var lines: [String] = []
    var open: [String: Presentation] = [:]
    var isSilent = false
    var fails = false
  }

  private let notes = Locked(Notes())
  private let signal = AsyncSignal()

  /// Returns when it has noted these lines.
  func wait(for lines: [String]) async {
    while true {
      let seen = signal.count
      if self.lines == lines { return }
      await signal.wait(after: seen)
    }
  }

  var lines: [String] { notes.withLock { $0.lines } }
  /// Whether it reports nothing by itself.
  func setSilent(_ isSilent: Bool) { notes.withLock { $0.isSilent = isSilent } }
  func setFailing(_ fails: Bool) { notes.withLock { $0.fails = fails } }

  /// What it got for a campaign last.
  subscript(campaign: String) -> Presentation? { notes.withLock { $0.open[campaign] } }

  private struct Broken: Error {}

  func present(_ presentation: Presentation) throws { try take("show", presentation) }

  func run(_ presentation: Presentation) throws {
    try take("run", presentation)
    if !presentation.template.isVisual { presentation.dismissed() }
  }

  private func take(_ word: String, _ presentation: Presentation) throws {
    let (isSilent, fails) = notes.withLock { notes in
      notes.lines.append("\(word) \(presentation.template.name) \(presentation.campaign.value)")
      notes.open[presentation.campaign.value] = presentation
      return (notes.isSilent, notes.fails)
    }
    defer { signal.fire() }
    if fails { throw Broken() }
    if !isSilent { presentation.presented() }
  }

  func close(_ presentation: Presentation) {
    notes.withLock {
      $0.lines.append("close \(presentation.template.name) \(presentation.campaign.value)")
    }
    presentation.dismissed()
  }
}
