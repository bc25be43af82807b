import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import Foundation

/// Shows the campaigns' template: prints what it gets, and dismisses it when the cache has recorded that
/// it was presented.
final class RecordingPresenter: Engagement.TemplatePresenter {
  private let ledger: LedgerEnd
  private let ended = Ended()

  init(_ open: @escaping @Sendable () throws(EngagementError) -> EngagementReader) {
    ledger = LedgerEnd(open)
  }

  static func offer() throws(EngagementError) -> Template.Builder<Template.Shown> {
    try Template.template("offer").string("sum", default: "").file("picture")
  }

  func present(_ presentation: Engagement.Presentation) throws {
    say("present \(presentation.id) \(Self.state(of: presentation.values))")
    ledger.advance()
    presentation.presented()
    Task {
      while !ended.has(presentation.id), !ledger.hasPresented(presentation.campaign) {
        // The task is never cancelled before the process ends.
        try? await Task.sleep(for: .milliseconds(1))
      }
      guard ended.note(presentation.id) else { return }
      say("recorded \(presentation.id)")
      try? await Task.sleep(for: .milliseconds(1))
      say("dismissed \(presentation.id)")
      presentation.dismissed()
    }
  }

  func close(_ presentation: Engagement.Presentation) {
    say("closed \(presentation.id)")
    _ = ended.note(presentation.id)
    presentation.dismissed()
  }

  /// Whether the file is the one that the campaign names.
  private static func state(of values: TemplateValues) -> String {
    guard let path = values.file("picture"),
      let bytes = FileManager.default.contents(atPath: path)
    else { return "missing" }
    return Payload.checksum(of: Array(bytes)) == values.string("sum") ? "sound" : "wrong"
  }
}

/// The presentations that have ended.
// The lock protects `ids`.
private final class Ended: @unchecked Sendable {
  private let lock = NSLock()
  private var ids: Set<Int64> = []

  func has(_ id: Int64) -> Bool { lock.withLock { ids.contains(id) } }

  /// False if it has ended before.
  func note(_ id: Int64) -> Bool { lock.withLock { ids.insert(id).inserted } }
}

/// Follows the end of the ledger as another process would.
// The lock protects the rest.
private final class LedgerEnd: @unchecked Sendable {
  private let lock = NSLock()
  private let open: @Sendable () throws(EngagementError) -> EngagementReader
  private var reader: EngagementReader?
  private var sequence: Int64 = 0
  private var presented: Set<ItemID> = []

  init(_ open: @escaping @Sendable () throws(EngagementError) -> EngagementReader) {
    self.open = open
  }

  /// Forgets what was presented so far.
  func advance() {
    lock.withLock {
      read()
      presented = []
    }
  }

  func hasPresented(_ campaign: ItemID) -> Bool {
    lock.withLock {
      read()
      return presented.contains(campaign)
    }
  }

  private func read() {
    do throws(EngagementError) {
      let reader: EngagementReader
      if let known = self.reader { reader = known } else { reader = try open() }
      self.reader = reader
      var events: [EngagementEvent]
      repeat {
        events = try reader.events(after: sequence)
        sequence = events.last?.sequence ?? sequence
        for event in events where event.kind == .templatePresented {
          if let item = event.item?.id { presented.insert(item) }
        }
      } while !events.isEmpty
    } catch {
      // The file is being changed, or a disk fails; the next look may succeed.
    }
  }
}
