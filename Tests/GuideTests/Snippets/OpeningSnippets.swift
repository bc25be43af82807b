import EngagementBraze
import EngagementCurl
import EngagementKit
import EngagementVibes
import Foundation

// The guides show the bodies of these functions. `engagement` is an open `Engagement` in each.

func open(path: String, endpoint: String, key: Secret) async throws -> Engagement {
  let engagement = try await Engagement.open(
    cache: .file(path),
    device: .current(appID: "com.example.shop", appVersion: "1.0"),
    transport: CurlTransport(),
    providers: [
      "braze": .braze(endpoint: endpoint, apiKey: key),
      "vibes": .vibes(appID: "YOUR-APP-ID", endpoint: VibesConfiguration.europe),
    ],
    routes: .init(cards: .only("braze"), inbox: .only("vibes")),
    containers: ["home": ["braze": .extra("slot", is: "home")]],
    options: Engagement.Options(environment: "staging", limits: .init(rows: 5_000)))
  return engagement
}

func run(_ engagement: Engagement) async throws {
  let running = Task { try await engagement.run() }
  // … the application's life …
  running.cancel()
}

func live(_ engagement: Engagement) {
  engagement.setLiveUpdates(enabled: false)
}

func scenes(_ engagement: Engagement) async throws {
  engagement.setScenePhase(.active)  // at each change of the application's phase

  try await engagement.suspend()  // before the system freezes the process
  try await engagement.resume()  // when it is back, and before it shows a feed
}

func signIn(
  _ engagement: Engagement, token: @escaping @Sendable (ProviderID) async throws -> String
) async throws {
  try await engagement.signIn("u-1", consent: .full) { provider in
    Secret(try await token(provider))  // asked for when a vendor wants a credential
  }
  print(engagement.user == "u-1", engagement.user.isAnonymous)

  let report = try await engagement.signOut(within: .seconds(5), undelivered: .keep)
  for (provider, result) in report.providers where result.mayStillPush {
    print("\(provider) may still push to this device: \(result.failure?.message ?? "no answer")")
  }
}

func refresh(_ engagement: Engagement) async throws {
  let outcome = await engagement.refresh(.cards(in: "home"))
  print(outcome)  // such as "braze: fresh"
  let mayBeOld = !outcome.isComplete
  for (provider, result) in outcome.providers {
    switch result {
    case .fresh, .notModified: break
    case .throttled(let date): print("\(provider) asks for a pause until \(date)")
    case .stale(let age, let error): print("\(provider): \(age) old, since \(error.message)")
    case .failed(let error): print("\(provider) has nothing: \(error.code)")
    case .unsupported: print("\(provider) has no such thing")
    }
  }
  if mayBeOld { print(await engagement.refresh(.inbox, .everything)) }
}

func routes(_ engagement: Engagement) async throws {
  try await engagement.setRoute(.none, for: .inbox)  // shows no messages
  try await engagement.setRoute(.only("vibes"), for: .inbox)
  print(engagement.routes.inbox.providers)
  try await engagement.setRoute(.mirror(["braze", "vibes"]), for: .push)
  try await engagement.setRoute(.only("vibes"), for: .events)
}

func contents(
  cache: Engagement.Cache, providers: Engagement.Providers, card: Card
) async throws {
  let engagement = try await Engagement.open(
    cache: cache, device: .current(appID: "com.example.shop"), transport: CurlTransport(),
    providers: providers,
    routes: .init(cards: .only("braze"), inbox: .merge(["vibes", "clevertap"])),
    contentKeys: [
      "braze": .extra("contentID"), "vibes": .extra("contentID"), "clevertap": .fingerprint,
    ])
  try await engagement.perform(.dismiss, on: card, propagate: true)
}

func failOver(_ engagement: Engagement) async throws {
  let failOver = try Engagement.FailOver(
    failures: 3, within: .seconds(300), coolDown: .seconds(30),
    returning: .afterRest(.seconds(600)))
  try await engagement.setRoute(.firstReady(["braze", "vibes"], failOver), for: .cards)
  do {
    try await engagement.returnToFirstChoice(of: .cards)  // without waiting for the rest
  } catch {
    print(error.message)  // why not yet, such as that it has failed and is not asked for 20 s
  }
}

func shadow(_ engagement: Engagement) async throws {
  let shadow = try Engagement.Shadow(["vibes"], every: .seconds(900))
  try await engagement.setRoute(.shadow(.only("clevertap"), shadow), for: .inbox)
  _ = await engagement.refresh(.inbox)
  for report in try await engagement.compareShadows() {
    print("\(report.candidate) lacks \(report.last.onlyShown) of \(report.last.compared)")
  }
}

func close(_ engagement: Engagement) async throws {
  let report = try await engagement.flush(within: .seconds(5))
  print(report)  // such as "braze: 2 delivered, 1 pending"
  try await engagement.close()  // every later call throws `conflict`
}
