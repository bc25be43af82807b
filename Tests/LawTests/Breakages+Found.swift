/// The breach that each law must report for the adapter that breaks it. Another breach does not
/// count.
extension Breakage {
  static let found: [String: String] = [
    "abilities.declared-works":
      "A declared ability fails.",
    "abilities.prerequisites-end":
      "An operation fails at first use.",
    "abilities.undeclared-is-refused":
      "The adapter has a step for an undeclared ability.",
    "actions.credential-renewed-once":
      "An operation fails after the renewal.",
    "actions.reach-the-vendor":
      "An action does not arrive exactly once.",
    "actions.refused-is-undone":
      "A refusal is not reported.",
    "actions.stable-retries":
      "A retry changes the id or time.",
    "campaigns.counters":
      "The vendor is told another count of today.",
    "campaigns.survive-a-kill":
      "A due campaign is not presented once.",
    "campaigns.told-once":
      "What the vendor knows is told again.",
    "chains.kept-over-failure":
      "A completed step runs again.",
    "chains.one-device":
      "More than one device is registered.",
    "conduct.cancellation":
      "A cancelled operation continues.",
    "conduct.hundred-calls":
      "Some concurrent calls fail.",
    "conduct.no-secret":
      "A secret is in a text.",
    "conduct.stop":
      "An action that was pending at the stop is lost.",
    "failures.any-bytes":
      "One response has two meanings.",
    "failures.dead-transport":
      "A dead network is not reported as one.",
    "failures.disguised":
      "A refusal with status 200 counts as a success.",
    "failures.malformed":
      "A malformed answer is not reported as one.",
    "failures.retry-after":
      "Retry-After gives the wrong delay.",
    "failures.statuses":
      "A status has the wrong code.",
    "items.duplicates":
      "A duplicate is shown as another item.",
    "items.ids":
      "Two ids became one.",
    "items.one-bad-costs-one":
      "A bad item fails the list.",
    "items.order":
      "The order has changed.",
    "live.converges":
      "The feed differs from the full state.",
    "live.dead-peer":
      "A dead peer is not detected.",
    "mapping.fullest-item":
      "A field has the wrong value.",
    "mapping.hostile-text":
      "A text is changed.",
    "mapping.long-text":
      "A text is changed.",
    "mapping.nul":
      "A NUL reached the model.",
    "mapping.same-bytes":
      "Two requests for one operation differ.",
    "mapping.surroundings":
      "Locale or zone changes the meaning of an answer.",
    "mapping.times":
      "A time is wrong.",
    "mapping.unknown-fields":
      "An unknown field changes an item.",
    "mapping.unknown-kinds":
      "An unknown kind counts as a fault.",
    "pushes.foreign":
      "A foreign push is accepted.",
    "pushes.own":
      "An own push is not recognized.",
    "users.nothing-of-the-former":
      "A request speaks for the former user.",
  ]
}
