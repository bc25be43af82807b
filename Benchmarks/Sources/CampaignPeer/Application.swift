import EngagementCleverTap
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Synchronization

/// An application with one vendor's campaigns and messages, over a network in this process.
struct Application: Sendable {
  static let provider: ProviderID = "clevertap"

  let engagement: Engagement
  let presenter = Presenter()
  let clock = TestClock(WorkSet.now)
  private let vendor = Vendor()

  /// Opens a new cache in the folder. Consent is given and the vendor is known when this returns.
  init(in folder: String) async throws {
    try renew(folder)
    let vendor = vendor
    engagement = try await Engagement.open(
      cache: .file("\(folder)/cache.sqlite"), device: .test,
      transport: ScriptedTransport { (request) throws(EngagementError) in
        await vendor.answer(request)
      },
      providers: [
        Self.provider: .clevertap(
          try CleverTapConfiguration(accountID: "account", token: Secret("token"), region: "eu1"))
      ],
      routes: Engagement.Routes(cards: .none, inbox: .only(Self.provider)),
      templates: [Self.provider: [.template(try Template.template("offer"), shownBy: presenter)]],
      options: Engagement.Options(clock: clock, presentations: .init(withoutScene: true)))
    try await engagement.signIn("u-1", consent: .full)
    _ = try await engagement.flush()
    try await refresh(.inbox)
  }

  /// Puts so many campaigns into the cache.
  func know(_ campaigns: Int) async throws {
    let list = (1...max(1, campaigns)).map(WorkSet.listed).joined(separator: ",")
    await vendor.say(#"{"inapp_notifs_cs":[\#(campaigns == 0 ? "" : list)]}"#)
    try await refresh(.campaigns)
    await vendor.say(Vendor.silence)
  }

  /// The time until a campaign that the vendor delivers is with the presenter.
  func present(_ number: Int) async throws {
    await vendor.say(
      #"""
      {"imc":100000,"imp":100000,"inapp_notifs":[{"ti":\#(900_000 + number),"wzrk_id":"1_\#(number)",
       "type":"custom-code","templateName":"offer"}]}
      """#)
    try await refresh(.campaigns)
    await presenter.next()
  }

  /// The time until a message is in the inbox.
  func list(_ number: Int) async throws {
    await vendor.say(
      #"""
      {"inbox_notifs_v2":[{"_id":"m-\#(number)","wzrk_id":"1_\#(number)","date":1770552000,"isRead":false,
       "msg":{"content":[{"title":{"text":"Hello"}}]}}]}
      """#)
    try await refresh(.inbox)
    guard engagement.message(ItemID(Self.provider, "m-\(number)")) != nil else {
      throw Refused("the message is not in the inbox")
    }
  }

  private func refresh(_ target: Engagement.RefreshTarget) async throws {
    let outcome = await engagement.refresh(target)
    guard outcome.isComplete else { throw Refused("\(outcome)") }
  }
}

/// A vendor that gives the same answer until it is told another.
private actor Vendor {
  static let silence = #"{"inbox_notifs_v2":[]}"#
  private var body = Vendor.silence

  func say(_ body: String) { self.body = body }
  func answer(_ request: HTTPRequest) -> HTTPResponse {
    .json(200, request.method == .get ? "{}" : body)
  }
}

/// Counts what it is given, and is done with it at once.
final class Presenter: Engagement.TemplatePresenter {
  private let shown = Mutex(0)
  private let calls: AsyncStream<Void>
  private let call: AsyncStream<Void>.Continuation

  init() { (calls, call) = AsyncStream.makeStream() }

  var count: Int { shown.withLock { $0 } }

  func present(_ presentation: Engagement.Presentation) {
    shown.withLock { $0 += 1 }
    call.yield()
    presentation.presented()
    presentation.dismissed()
  }

  func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }

  /// Waits for the next call that nobody has waited for.
  func next() async { for await _ in calls { return } }
}

/// What was asked did not happen.
struct Refused: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
