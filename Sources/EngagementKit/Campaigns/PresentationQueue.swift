import EngagementModel
import EngagementPlatform

/// Decides what is presented next. It knows no store, presenter or clock: all times are told.
///
/// - One thing is visible at a time, over all providers. The next one follows when it is dismissed.
///   A function that shows nothing runs at once, beside it.
/// - The highest priority comes first, then what came first. A visual function that an action called
///   comes before everything else.
/// - An entry whose files take long lets the next ones go first, and keeps its place.
/// - Nothing is presented in the background or while the queue is suspended.
/// - Everything that was added ends once, with an `Ending`.
struct PresentationQueue: Sendable {
  /// Something to present.
  struct Entry: Hashable, Sendable, Identifiable {
    /// Counts up with every entry of a user.
    let id: Int64
    let campaign: ItemID
    let template: String
    /// Whether it shows something.
    var isVisual = true
    var priority = 1
    var presentAt: Date
    var expiresAt: Date
    /// How many times a presenter got it. It is durable before the presenter gets it.
    var handOvers = 0
  }

  enum Mode: Hashable, Sendable {
    case running
    /// Nothing is presented, and everything stays.
    case suspended
    /// What would be presented is dropped.
    case discarding
  }

  /// How an entry ended.
  enum Ending: Hashable, Sendable {
    case presented, expired, capped, discarded
    /// Its provider does not present any more.
    case unrouted
    /// It could not be presented, or its presenter ended it without presenting it.
    case skipped
  }

  /// What the owner does next, in this order.
  enum Step: Hashable, Sendable {
    /// Fetch its files; then call `prepared` or `end`.
    case prepare(Entry)
    /// Store the hand-over, then hand it to its presenter; then call `presented` and `end`.
    case present(Entry)
    /// Tell its presenter to take it away.
    case close(Entry)
    /// Its presenter has not dismissed it for a long time.
    case report(Entry)
    case end(Entry, Ending)
  }

  /// The clocks.
  struct Now: Hashable, Sendable {
    var date: Date
    var uptime: Duration
  }

  /// After this long without a dismissal a presenter is reported.
  static let patience = Duration.seconds(300)
  /// How long an entry waits for its files before others go first.
  static let filePatience = Duration.seconds(2)
  /// An entry that was handed over so often and never presented is skipped after a restart.
  static let mostHandOvers = 2

  private struct Preparing: Sendable {
    var entry: Entry
    var since: Duration
    var isSlow = false
  }

  private struct Visible: Sendable {
    var entry: Entry
    var since: Duration
    var isPresented = false
    var isReported = false

    func ending(otherwise ending: Ending) -> Ending { isPresented ? .presented : ending }
  }

  private(set) var mode = Mode.running
  private(set) var isForeground: Bool
  /// Until when something may stay visible; nil for any time.
  private let timeLimit: Duration?
  private var waiting: [Entry] = []
  /// The entries that the application's caps hold back. They keep their place, and others go first.
  private var held: Set<Entry.ID> = []
  /// The entry whose files are fetched, before it becomes visible.
  private var preparing: Preparing?
  /// Entries whose files are still fetched while others go first.
  private var slow: [Entry.ID: Entry] = [:]
  private var visible: Visible?
  /// What shows nothing, from its preparation to its end; true once it was presented.
  private var called: [Entry.ID: (entry: Entry, isPresented: Bool)] = [:]

  init(isForeground: Bool, timeLimit: Duration? = nil) {
    self.isForeground = isForeground
    self.timeLimit = timeLimit
  }

  // MARK: Entries

  /// Continues with the entries that were stored and not presented. What was handed over before the
  /// restart is handed over once more, first.
  mutating func restore(_ entries: [Entry]) -> [Step] {
    var ended: [Step] = []
    for entry in entries.sorted(by: { $0.id < $1.id }) {
      if entry.handOvers >= Self.mostHandOvers {
        ended.append(.end(entry, .skipped))
      } else {
        insert(entry)
      }
    }
    waiting = waiting.filter { $0.handOvers > 0 } + waiting.filter { $0.handOvers == 0 }
    return ended
  }

  mutating func add(_ entry: Entry) { insert(entry) }

  /// Adds a visual function that an action called.
  mutating func addFirst(_ entry: Entry) {
    var entry = entry
    // Nothing that is added later comes before it.
    entry.priority = .max
    waiting.insert(entry, at: 0)
  }

  private mutating func insert(_ entry: Entry) {
    let place = waiting.lastIndex { $0.priority >= entry.priority }.map { $0 + 1 } ?? 0
    waiting.insert(entry, at: place)
  }

  /// Puts an entry back before those that came after it.
  private mutating func putBack(_ entry: Entry) {
    let place = waiting.firstIndex {
      $0.priority < entry.priority || ($0.priority == entry.priority && $0.id > entry.id)
    }
    waiting.insert(entry, at: place ?? waiting.count)
  }

  /// Drops everything, as when its user leaves.
  mutating func removeAll() -> [Step] {
    var steps: [Step] = []
    if let visible {
      steps += [.close(visible.entry), .end(visible.entry, visible.ending(otherwise: .discarded))]
    }
    steps += called.values.sorted { $0.entry.id < $1.entry.id }.map {
      .end($0.entry, $0.isPresented ? .presented : .discarded)
    }
    steps += slow.values.sorted { $0.id < $1.id }.map { .end($0, .discarded) }
    steps += ([preparing?.entry].compactMap(\.self) + waiting).map { .end($0, .discarded) }
    (waiting, preparing, slow, visible, called, held) = ([], nil, [:], nil, [:], [])
    return steps
  }

  // MARK: Circumstances

  mutating func setMode(_ mode: Mode) { self.mode = mode }

  mutating func setForeground(_ isForeground: Bool) { self.isForeground = isForeground }

  // MARK: Answers

  /// The files of the entry are there.
  mutating func prepared(
    _ id: Entry.ID, at now: Now, mayPresent: (Entry) -> Bool
  ) -> [Step] {
    if var function = called[id] {
      function.entry.handOvers += 1
      called[id] = function
      return [.present(function.entry)]
    }
    if let entry = slow.removeValue(forKey: id) {
      putBack(entry)
      return []
    }
    guard var entry = preparing?.entry, entry.id == id else { return [] }
    preparing = nil
    guard mode != .suspended, isForeground else {
      waiting.insert(entry, at: 0)
      return []
    }
    if held.contains(id) {
      putBack(entry)
      return next(at: now, mayPresent: mayPresent)
    }
    if let ending = obstacle(to: entry, at: now, mayPresent) {
      return [.end(entry, ending)] + next(at: now, mayPresent: mayPresent)
    }
    entry.handOvers += 1
    visible = Visible(entry: entry, since: now.uptime)
    return [.present(entry)]
  }

  /// Its files are not fetched now; they will be when it is its turn again.
  mutating func postpone(_ id: Entry.ID) {
    if let function = called.removeValue(forKey: id) {
      waiting.insert(function.entry, at: 0)
    } else if let entry = slow.removeValue(forKey: id) {
      putBack(entry)
    } else if let entry = preparing?.entry, entry.id == id {
      preparing = nil
      waiting.insert(entry, at: 0)
    }
  }

  /// The presenter shows the entry. True the first time, when it is counted.
  mutating func presented(_ id: Entry.ID) -> Bool {
    if let function = called[id] {
      called[id]?.isPresented = true
      return !function.isPresented
    }
    guard let shown = visible, shown.entry.id == id else { return false }
    visible?.isPresented = true
    return !shown.isPresented
  }

  /// The presenter has taken the entry away, or it could not be prepared or presented. Then call
  /// `next`.
  mutating func end(_ id: Entry.ID, otherwise ending: Ending) -> [Step] {
    if let function = called.removeValue(forKey: id) {
      return [.end(function.entry, function.isPresented ? .presented : ending)]
    }
    if let shown = visible, shown.entry.id == id {
      visible = nil
      return [.end(shown.entry, shown.ending(otherwise: ending))]
    }
    if let entry = slow.removeValue(forKey: id) { return [.end(entry, ending)] }
    guard let entry = preparing?.entry, entry.id == id else { return [] }
    preparing = nil
    return [.end(entry, ending)]
  }

  /// Ends the entries of providers that do not present any more, and takes away what is visible of them.
  /// A function that shows nothing ends by itself.
  mutating func leave(_ isGone: (ProviderID) -> Bool) -> [Step] {
    func gone(_ entry: Entry) -> Bool { isGone(entry.campaign.provider) }
    var steps: [Step] = []
    if let shown = visible, gone(shown.entry) {
      visible = nil
      steps = [.close(shown.entry), .end(shown.entry, shown.ending(otherwise: .unrouted))]
    }
    if let entry = preparing?.entry, gone(entry) {
      preparing = nil
      steps.append(.end(entry, .unrouted))
    }
    let others = slow.values.filter(gone).sorted { $0.id < $1.id } + waiting.filter(gone)
    for entry in others { slow[entry.id] = nil }
    waiting.removeAll(where: gone)
    return steps + others.map { .end($0, .unrouted) }
  }

  // MARK: Holding back

  /// Whether anything may become visible now.
  var isPresenting: Bool { mode == .running && isForeground }

  /// What may be presented next, as far as nothing holds it back.
  func due(at now: Date) -> [Entry] {
    let begun = [preparing?.entry].compactMap(\.self) + slow.values.sorted { $0.id < $1.id }
    return begun + waiting.filter { $0.presentAt <= now }
  }

  /// Holds back these entries and no others, until the next call.
  mutating func hold(_ entries: Set<Entry.ID>) { held = entries }

  /// Takes out an entry that is not visible; the caller ends it.
  mutating func drop(_ id: Entry.ID) {
    waiting.removeAll { $0.id == id }
    slow[id] = nil
    if preparing?.entry.id == id { preparing = nil }
  }

  // MARK: Next

  /// What is to be done now. Call it after every change and at `nextTime`.
  mutating func next(at now: Now, mayPresent: (Entry) -> Bool) -> [Step] {
    var steps = endExpired(at: now) + checkVisible(at: now)
    guard mode != .suspended, isForeground else { return steps }
    steps += startFunctions(at: now, mayPresent)
    passSlowFiles(at: now)
    while visible == nil, preparing == nil, let entry = takeFirst(isVisual: true, at: now) {
      if let ending = obstacle(to: entry, at: now, mayPresent) {
        steps.append(.end(entry, ending))
      } else {
        preparing = Preparing(entry: entry, since: now.uptime)
        steps.append(.prepare(entry))
      }
    }
    return steps
  }

  /// Whether nothing is under way and nothing can begin now.
  func isIdle(at now: Date) -> Bool {
    guard visible == nil, preparing == nil, slow.isEmpty, called.isEmpty else { return false }
    return mode == .suspended || !isForeground
      || !waiting.contains { $0.presentAt <= now && !held.contains($0.id) }
  }

  /// When something that waits is due or expires; nil for never.
  var nextTime: Date? {
    waiting.map { held.contains($0.id) ? $0.expiresAt : min($0.presentAt, $0.expiresAt) }.min()
  }

  /// When something is visible or prepared for too long; nil for never.
  var nextUptime: Duration? {
    if let preparing { return preparing.isSlow ? nil : preparing.since + Self.filePatience }
    return visible.flatMap { shown in
      if let timeLimit { return shown.since + timeLimit }
      return shown.isReported ? nil : shown.since + Self.patience
    }
  }

  /// Lets others go first if the files of the entry that is prepared take long.
  private mutating func passSlowFiles(at now: Now) {
    guard let entry = preparing?.entry, let since = preparing?.since,
      now.uptime - since >= Self.filePatience
    else { return }
    preparing?.isSlow = true
    guard
      waiting.contains(where: {
        $0.isVisual && $0.presentAt <= now.date && !held.contains($0.id)
      })
    else { return }
    slow[entry.id] = entry
    preparing = nil
  }

  private mutating func startFunctions(at now: Now, _ mayPresent: (Entry) -> Bool) -> [Step] {
    var steps: [Step] = []
    while let entry = takeFirst(isVisual: false, at: now) {
      if let ending = obstacle(to: entry, at: now, mayPresent) {
        steps.append(.end(entry, ending))
      } else {
        called[entry.id] = (entry, false)
        steps.append(.prepare(entry))
      }
    }
    return steps
  }

  private mutating func takeFirst(isVisual: Bool, at now: Now) -> Entry? {
    waiting.firstIndex {
      $0.isVisual == isVisual && $0.presentAt <= now.date && !held.contains($0.id)
    }.map { waiting.remove(at: $0) }
  }

  /// How the entry ends instead of being presented; nil if it may be presented.
  private func obstacle(
    to entry: Entry, at now: Now, _ mayPresent: (Entry) -> Bool
  ) -> Ending? {
    if entry.expiresAt <= now.date { return .expired }
    if mode == .discarding { return .discarded }
    return mayPresent(entry) ? nil : .capped
  }

  private mutating func endExpired(at now: Now) -> [Step] {
    let expired = waiting.filter { $0.expiresAt <= now.date }
    guard !expired.isEmpty else { return [] }
    waiting.removeAll { $0.expiresAt <= now.date }
    return expired.map { .end($0, .expired) }
  }

  /// Reports a presenter that does not dismiss, or ends its presentation where there is a limit.
  private mutating func checkVisible(at now: Now) -> [Step] {
    guard let shown = visible else { return [] }
    let time = now.uptime - shown.since
    if let timeLimit, time >= timeLimit {
      visible = nil
      return [.close(shown.entry), .end(shown.entry, shown.ending(otherwise: .skipped))]
    }
    guard time >= Self.patience, !shown.isReported else { return [] }
    visible?.isReported = true
    return [.report(shown.entry)]
  }
}
