import EngagementCurl
import EngagementKit
import Foundation

func errors(_ engagement: Engagement, _ card: Card) async {
  do throws(EngagementError) {
    try await engagement.perform(.click, on: card)
  } catch {
    switch error.code {
    case .consentDenied: print("ask for consent")
    case .notFound: print("the card is gone")
    case _ where error.code.mayRetry: print("later, in \(error.retryAfter ?? .seconds(1))")
    default: print(error)  // for developers: never the input, a header or a body
    }
  }
}

func logging() -> Engagement.Options {
  let lines = Engagement.LinesLogger(level: .info) { line in print(line) }
  return Engagement.Options(loggers: [lines, Engagement.LinesLogger.standardError])
}

func status(_ engagement: Engagement) async throws {
  for await surfaces in engagement.statusUpdates() {
    for surface in surfaces {
      guard let error = surface.state?.error else { continue }
      for status in surface.providers where status.isShown {
        let age = status.refreshedAt.map { "what it had at \($0)" } ?? "nothing"
        print("\(surface.surface): \(error.code); \(status.provider) shows \(age)")
      }
      if let replaced = surface.replaced { print("another provider is shown for \(replaced)") }
    }
  }
}

func capabilities(_ engagement: Engagement) {
  for own in engagement.capabilities.providers {
    for use in own.surfaces {
      switch use.support {
      case .native: print("\(own.provider) has \(use.surface): \(use.strategies)")
      case .bridged(let other): print("\(own.provider) shows its \(other) as \(use.surface)")
      case .absent(let why): print("\(own.provider) has no \(use.surface): \(why)")
      }
    }
  }
}

func diagnostics(_ engagement: Engagement) async throws {
  for (provider, date) in try await engagement.pauses {
    print("\(provider) asks to wait until \(date)")
  }
  try await engagement.endPauses()  // only if a person asks for it

  for item in try await engagement.quarantinedItems() {
    print("\(item.provider) sent an unreadable item \(item.index): \(item.reason)")
  }

  let report = try await engagement.checkCache()
  if !report.isSound { print(report.faults, report.damagedRows) }
  if let recovery = engagement.recovery {
    print("\(recovery.savedActions) saved, \(recovery.lostActions) lost; \(recovery.path ?? "")")
  }
  for (provider, counts) in report.deliveryCounts where !counts.isConserved {
    print("\(provider): \(counts.accepted) accepted, \(counts.delivered) delivered")
  }
}

func transport() -> CurlTransport {
  var configuration = CurlTransport.Configuration()
  configuration.totalTimeout = .seconds(20)
  configuration.maximumBodyBytes = 4 << 20
  return CurlTransport(configuration)
}
