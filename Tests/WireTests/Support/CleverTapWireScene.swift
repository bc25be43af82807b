import EngagementCleverTap
import EngagementCleverTapTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import Foundation
import Testing

/// An installation with CleverTap alone, over the library's own transport, and the vendor's server in
/// this process. The application can be started more than once on the same cache.
///
/// Nothing runs in the background, so a test says when something is sent or presented.
struct CleverTapWireScene: Sendable {
  let emulator: Emulator
  /// The vendor's other host, to which the first one can send a client.
  let elsewhere: Emulator
  let clock = TestClock()
  let presenter = PromptPresenter()
  let network = RecordingTransport(CurlTransport(.patient()))
  private let secrets = MemorySecretStore()
  private let folder: URL

  static let provider: ProviderID = "clevertap"

  /// With the number of the build, which the vendor's clients always send.
  private static func device(at location: Device.Location?) -> Device {
    var device = Device.test
    device.appBuild = "7"
    device.location = location
    return device
  }

  init() async throws {
    emulator = try await Emulator.start(.init([.cleverTap], clock: clock.now))
    elsewhere = try await Emulator.start(.init([.cleverTap], clock: clock.now))
    folder = FileManager.default.temporaryDirectory.appending(path: "clevertap-wire-\(UUID())")
  }

  /// The hosts as an answer names them.
  var domain: String { Self.authority(of: emulator) }
  var otherDomain: String { Self.authority(of: elsewhere) }

  private static func authority(of emulator: Emulator) -> String {
    String(emulator.endpoint(of: "clevertap").dropFirst("http://".count))
  }

  /// Starts the application and ends it after the body.
  func run(
    debug: Bool = true, serverInbox: Bool = true, location: Device.Location? = nil,
    _ body: (Engagement) async throws -> Void
  ) async throws {
    let configuration = try CleverTapConfiguration(
      accountID: "demo", token: Secret("demo"), endpoint: emulator.endpoint(of: "clevertap"),
      hasServerInbox: serverInbox, definesTemplates: debug)
    let device = Self.device(at: location)
    let engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: device,
      transport: network, providers: [Self.provider: .clevertap(configuration)],
      routes: Engagement.Routes(cards: .none, inbox: .only(Self.provider)),
      templates: [Self.provider: try templates],
      options: Engagement.Options(
        secrets: secrets, clock: clock,
        presentations: .init(fileHosts: ["127.0.0.1"], withoutScene: true),
        imageHosts: ["127.0.0.1"]))
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(engagement)) } catch { outcome = .failure(error) }
    try await engagement.close()
    try outcome.get()
  }

  private var templates: [Engagement.PresentedTemplate] {
    get throws {
      [
        .template(
          try Template.template("offer").string("title", default: "Offer")
            .number("price.amount", default: 1).boolean("isUrgent", default: true)
            .file("picture").action("open"),
          shownBy: presenter),
        .function(try Template.function("rate", isVisual: false), runBy: presenter),
      ]
    }
  }

  /// Ends the scene. No effect may say that the adapter sent what the vendor's clients never send.
  func end(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for emulator in [emulator, elsewhere] {
      let faults = await emulator.effects().keys.filter { $0.name == "fault" }.map(\.subject)
      #expect(faults == [], sourceLocation: sourceLocation)
      let refused = await emulator.requests().filter { $0.status == 400 && $0.fault == nil }
      #expect(refused.map(\.summary) == [], sourceLocation: sourceLocation)
      await emulator.stop()
    }
    try FileManager.default.removeItem(at: folder)
  }

  /// Advances the vendor's clock, then the application's.
  func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    await elsewhere.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  /// Advances the clocks until no row is pending.
  func settle(_ engagement: Engagement) async throws {
    await engagement.deliver(to: Self.provider)
    for _ in 0..<100 where try await engagement.pendingCounts[Self.provider] ?? 0 > 0 {
      await advance(by: .seconds(60))
      await engagement.deliver(to: Self.provider)
    }
  }

  /// Signs in the user with full consent and sends what follows from it.
  func arrive(_ engagement: Engagement, _ user: UserID = "u-1") async throws {
    try await engagement.signIn(User(user), consent: .full)
    try await settle(engagement)
  }

  /// Presents everything that is due.
  func present(
    _ engagement: Engagement, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let isDone = try await engagement.presentDueTemplates(within: .seconds(60))
    #expect(isDone, sourceLocation: sourceLocation)
  }

  /// What an accepted action came to, after everything was sent.
  func outcome(
    _ engagement: Engagement, of action: (Engagement) async throws -> Engagement.Receipt
  ) async throws -> Engagement.Receipt.Outcome? {
    let receipt = try await action(engagement)
    try await settle(engagement)
    return try await receipt.outcome()
  }

  /// A campaign of `offer` that an event makes due.
  @discardableResult func put(
    _ id: Int64, on event: String, _ more: JSONObject = [:]
  ) async throws -> JSON {
    var campaign: JSONObject = [
      "ti": .integer(id), "type": "custom-code", "templateName": "offer",
      "vars": ["title": .string("Campaign \(id)")],
      "whenTriggers": [["eventName": .string(event)]],
    ]
    for member in more.members { campaign[member.key] = member.value }
    return try await emulator.put(.object(campaign), in: "clevertap")
  }

  /// `METHOD path` of the requests after that number.
  func lines(after number: Int = 0) async -> [String] {
    await emulator.requests(after: number).map { "\($0.method) \($0.path)" }
  }

  /// The effects that are no requests of this side's own accord, as `name subject`.
  func effects(_ name: String) async -> [String] {
    await emulator.effects().filter { $0.key.name == name }
      .flatMap { Array(repeating: $0.key.subject, count: $0.value) }.sorted()
  }
}

/// Shows each template at once, chooses an action of it if one is set, and takes it away again.
final class PromptPresenter: Engagement.TemplatePresenter, Engagement.FunctionPresenter {
  struct Shown: Sendable {
    var campaign: String
    var template: String
    var title: String?
    var picture: String?
  }

  private let state = Locked<(shown: [Shown], action: String?)>(([], nil))

  var shown: [Shown] { state.withLock(\.shown) }
  var campaigns: [String] { shown.map(\.campaign) }

  /// The action that is chosen in each template from now on.
  func choose(_ action: String?) { state.withLock { $0.action = action } }

  func present(_ presentation: Engagement.Presentation) throws { show(presentation) }

  func run(_ presentation: Engagement.Presentation) throws { show(presentation) }

  private func show(_ presentation: Engagement.Presentation) {
    let values = presentation.values
    let action = state.withLock { state in
      state.shown.append(
        Shown(
          campaign: presentation.campaign.value, template: presentation.template.name,
          title: values.string("title"), picture: values.file("picture")))
      return state.action
    }
    presentation.presented()
    if let action { presentation.trigger(action) }
    presentation.dismissed()
  }

  func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }
}
