import EngagementAnalytics
import EngagementKit
import EngagementModel

extension Command {
  private static let provider = Option(
    "provider", value: "NAME", "compare this provider", repeats: true)
  private static let control = Option(
    "control", value: "NAME",
    "compare the others with this provider, and not with the first --provider, the first of the "
      + "configuration or, of files, the first by name")

  static let compare = Command(
    name: ["compare"], summary: "compare providers by what this device saw",
    discussion: """
      Counts for each provider the people who received something, saw it, clicked, completed (sent a
      form), dismissed and opted out, as shares with intervals, and its requests with their failures and
      times. The messages of an inbox are not seen and clicked but opened and read: name --metric open
      and --metric read for them. Without --provider, all providers that have sent something are
      compared.

      The comparison follows no random split, so a difference may come from the people and not from the
      provider. An experiment excludes that: see "engage experiment plan".

      An opt-out ends what all providers send. It counts for each provider from which the person had
      received something before. A step of which a provider has no event is "not recorded", and no
      figure is made of it; where impressions are recorded, no click is 0%. With --since, what a person
      received earlier counts as received then: it was there to be seen. The times of requests are
      their mean, and those within which half and 95% of them ended, rounded up to a bound such as 70,
      100 or 150 ms. A check is "early" where more people are needed, and "open" where there is nothing
      to check.

      "pp" are percentage points. "p" is the probability of such a difference by chance alone, and "p by
      Holm" the same, corrected for the number of metrics and providers: a difference is seen where it
      is below 5%. "Detectable" is the difference that four of five such comparisons would show.

      With --from, the events are read from files of "engage export", of any format and compression,
      or from folders of them, and an event counts once wherever it is. A person is one on all devices
      if all of them export with the same --user-hash-key; a note says if no person is on two. A line
      that cannot be read is told, and the exit status is 1. An address of ClickHouse, as "engage export
      --to" takes it, makes the server group and count the events of a table; the figures are the same.
      """,
    options: [
      provider, control, ExportRequest.Options.since, ExportRequest.Options.until,
      ComparisonOptions.metric,
      ComparisonOptions.from, ComparisonOptions.html,
    ],
    examples: [
      Example("engage compare", "all providers"),
      Example("engage compare --provider braze --provider vibes --since 2026-11-01", "two of them"),
      Example("engage compare --control vibes", "all, beside one that is not the first"),
      Example("engage compare --from exports --html november.html", "many devices, as a page"),
    ], isInterruptible: true,
    run: { invocation in
      var named = invocation.values(provider)
      if named.count == 1, let other = invocation.value(control), !other.hasSameBytes(as: named[0])
      {
        named.insert(other, at: 0)
      }
      if named.count == 1 {
        throw invocation.usage(
          "--provider is there once; a comparison needs two: add another, or --control.")
      }
      for (index, name) in named.enumerated()
      where named[..<index].contains(where: name.hasSameBytes) {
        throw invocation.usage("--provider \(name) is there twice; name each provider once.")
      }
      let compared = named.map { ProviderID($0) }
      let times = try invocation.times(
        since: ExportRequest.Options.since, until: ExportRequest.Options.until)
      let page = try invocation.comparisonPage()
      let input = try ComparisonInput(invocation, since: times.since, until: times.until)
      let metrics = invocation.comparisonMetrics()
      func design(of providers: [ProviderID]) throws -> ComparisonDesign {
        let chosen = try invocation.choose(invocation.value(control), among: providers)
        return try invocation.telling(provider) { () throws(EngagementError) in
          try ComparisonDesign(providers: providers, control: chosen, metrics: metrics)
        }
      }
      let (counts, losses): (ComparisonCounts, ComparisonInput.Losses)
      if compared.isEmpty {
        (counts, losses) = try await input.counts(of: metrics) { senders in
          try design(of: input.order(senders))
        }
      } else {
        let found = try await input.counts(design(of: compared))
        try invocation.check(compared, among: found.seen.union(input.providers))
        (counts, losses) = (found.counts, found.losses)
      }
      return try invocation.show(counts, of: input, losses, page: page)
    })
}

extension Invocation {
  /// The control: the first provider, unless one is named.
  fileprivate func choose(
    _ control: String?, among providers: [ProviderID]
  ) throws -> ProviderID {
    guard let control else { return providers[0] }
    guard let provider = providers.first(where: { $0.rawValue.hasSameBytes(as: control) }) else {
      throw UsageError.value(
        control, of: "--control", among: providers.map(\.rawValue), in: command.title)
    }
    return provider
  }

  /// Throws for a provider that is neither configured nor in any event.
  fileprivate func check(_ providers: [ProviderID], among known: Set<ProviderID>) throws {
    guard let unknown = providers.first(where: { !known.contains($0) }) else { return }
    throw UsageError.value(
      unknown.rawValue, of: "--provider", among: known.map(\.rawValue).sorted(),
      in: command.title)
  }
}

extension ComparisonInput {
  /// The configured providers in their order, then the others.
  fileprivate func order(_ found: Set<ProviderID>) -> [ProviderID] {
    let others = found.subtracting(providers).sorted { $0.rawValue < $1.rawValue }
    return providers.filter(found.contains) + others
  }
}
