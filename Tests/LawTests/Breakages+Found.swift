/// What each law has to say of the adapter that breaks it: a law that fails for another reason has
/// not found anything.
extension Breakage {
  static let found: [String: String] = [
    "abilities.declared-works":
      "A declared ability fails.",
    "abilities.prerequisites-end":
      "An operation fails at first use.",
    "abilities.undeclared-is-refused":
      "The adapter has a step for what it lacks.",
    "actions.credential-renewed-once":
      "Somebody fails with it.",
    "actions.reach-the-vendor":
      "An action does not arrive once.",
    "actions.refused-is-undone":
      "A refusal is not told.",
    "actions.stable-retries":
      "A retry has another id or time.",
    "chains.kept-over-failure":
      "A step is done again.",
    "chains.one-device":
      "More devices than one are made.",
    "conduct.cancellation":
      "What is cancelled goes on.",
    "conduct.hundred-calls":
      "Some calls fail among many.",
    "conduct.no-secret":
      "A secret is said.",
    "conduct.stop":
      "What waited when it was stopped is lost.",
    "failures.any-bytes":
      "One answer means two things.",
    "failures.dead-transport":
      "A dead network is not told as one.",
    "failures.disguised":
      "A refusal with status 200 passes.",
    "failures.malformed":
      "A broken answer is not told as one.",
    "failures.retry-after":
      "Retry-After is read differently.",
    "failures.statuses":
      "A status has another code.",
    "items.duplicates":
      "A duplicate is another item.",
    "items.ids":
      "Two ids became one.",
    "items.one-bad-costs-one":
      "A bad item fails the list.",
    "items.order":
      "The order is another one.",
    "live.converges":
      "The full state is not what is seen.",
    "live.dead-peer":
      "A dead peer is not noticed.",
    "mapping.fullest-item":
      "A field means something else.",
    "mapping.hostile-text":
      "A text is changed on its way.",
    "mapping.long-text":
      "A text is changed on its way.",
    "mapping.nul":
      "A NUL reached the model.",
    "mapping.same-bytes":
      "Two requests for one operation differ.",
    "mapping.surroundings":
      "An answer means something else in another place.",
    "mapping.times":
      "A time is another one.",
    "mapping.unknown-fields":
      "An unknown field changes what an item means.",
    "mapping.unknown-kinds":
      "An unknown kind counts as a fault.",
    "pushes.foreign":
      "A push of somebody else's is taken.",
    "pushes.own":
      "An own push is not recognised.",
    "users.nothing-of-the-former":
      "A request speaks for the former user.",
  ]
}
