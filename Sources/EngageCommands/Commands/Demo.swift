import EngagementAdapterAPI
import EngagementDocuments
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static let demo = Command(
    name: ["demo"], summary: "see everything work on this machine, with no account",
    discussion: """
      The vendors' servers run inside this command. A feed is fetched and shown, cards are clicked,
      dismissed, submitted, snoozed and voted on, a campaign's template is drawn, the network goes
      and comes back, and in the end the vendors say what reached them. It takes a few seconds, needs
      no network and leaves nothing behind.
      """,
    examples: [
      Example("engage demo", "the whole demonstration"),
      Example("engage demo --json", "the same, one object for each step"),
    ], isInterruptible: true,
    run: { invocation in
      let vendors = invocation.vendors.available.served
      let emulator = try await Emulator.start(.init(vendors))
      do {
        let status = try await DemoApplication(invocation, emulator, vendors).play()
        await emulator.stop()
        return status
      } catch {
        await emulator.stop()
        throw error
      }
    })
}

/// The vendors and an application on one stage, for as long as the story takes.
struct DemoApplication: Sendable {
  private let invocation: Invocation
  private let emulator: Emulator
  private let vendors: [VendorRegistration]

  init(_ invocation: Invocation, _ emulator: Emulator, _ vendors: [VendorRegistration]) {
    self.invocation = invocation
    self.emulator = emulator
    self.vendors = vendors
  }

  func play() async throws -> ExitStatus {
    let providers = try vendors.map { try $0.emulated(at: emulator.endpoint(of: $0.name)) }
    let engagement = try await open(providers)
    let known = Dictionary(
      providers.map { ($0.id, $0.credential) }, uniquingKeysWith: { first, _ in first })
    do {
      async let _: Void = Self.run(engagement)
      let story = DemoScript(
        engagement, emulator, invocation, credentials: { provider in known[provider] ?? nil })
      let status = try await story.tell(vendors)
      try await engagement.close()
      return status
    } catch {
      // The folder of the cache goes with it.
      try? await engagement.close()
      throw error
    }
  }

  private static func run(_ engagement: Engagement) async { try? await engagement.run() }

  private func open(_ providers: [ConfiguredProvider]) async throws -> Engagement {
    let (context, random) = (invocation.context, invocation.context.random)
    let id = OperationKey(random(), random()).id(0)
    let cards = providers.filter { $0.adapter.capabilities.ability(.cards).travel != .unsupported }
    let inbox = providers.filter { $0.adapter.capabilities.ability(.inbox).travel != .unsupported }
    let presenter = TerminalPresenter(invocation.console)
    let templates = try vendors.compactMap { vendor in
      try vendor.starterTemplates.map { text in
        (
          ProviderID(vendor.name),
          Engagement.PresentedTemplate.all(
            try TemplateDefinitions.parse(Array(text.utf8)), shownBy: presenter, runBy: presenter)
        )
      }
    }
    return try await Engagement.open(
      cache: .temporary,
      device: .engage(id: id),
      transport: context.transport(nil),
      providers: Engagement.Providers(providers.map { ($0.id, $0.adapter) }),
      routes: Engagement.Routes(
        cards: cards.isEmpty ? .none : .merge(cards.map(\.id)),
        inbox: inbox.isEmpty ? .none : .merge(inbox.map(\.id))),
      containers: containers,
      templates: Engagement.Templates(templates),
      options: Engagement.Options(
        clock: context.clock, random: random,
        presentations: .init(fileHosts: ["127.0.0.1"])))
  }
  /// The demo's one container, by the names that the vendors have for it.
  private var containers: Engagement.ContainerMap {
    let places = vendors.compactMap { vendor in
      vendor.starterContainer.map {
        (ProviderID(vendor.name), Engagement.ContainerMap.Place.container(ContainerID($0)))
      }
    }
    return ["home": Dictionary(places, uniquingKeysWith: { first, _ in first })]
  }
}
