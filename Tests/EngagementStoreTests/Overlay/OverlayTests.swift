import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import Foundation
import Testing

private let now = Date(timeIntervalSince1970: 1_790_845_200)

@Suite struct OverlayTests {
  private var card: Card { Card(ItemID("a", "1"), vendor: "a", kind: .classic) }
  private var message: InboxMessage { InboxMessage(ItemID("a", "1"), vendor: "a") }

  @Test(
    "an action sets its overlay marks at once",
    arguments: [
      (ItemAction.impression, [Overlay.Mark.viewed]), (.click, [.viewed, .clicked]),
      (.open, [.viewed, .read]), (.read, [.viewed, .read]), (.dismiss, [.dismissed]),
      (.delete, [.dismissed]), (.submit(button: nil, values: [:]), [.dismissed]),
      (.expire(at: nil), [.dismissed]), (.vote(useful: true, reason: nil, message: nil), []),
    ])
  func marks(action: ItemAction, marks: [Overlay.Mark]) {
    var overlay = Overlay()
    overlay.record(action, at: now)
    #expect(overlay.marks == Set(marks))
  }

  @Test("X7: a dismissed card stays hidden while the vendor still lists it")
  func dismissedStays() {
    var overlay = Overlay()
    overlay.record(.dismiss, at: now)
    overlay.settle(with: card, at: now.addingTimeInterval(86_400))
    #expect(overlay.hides(at: now.addingTimeInterval(86_400)))
  }

  @Test("a mark ends when the vendor agrees")
  func agreement() {
    var overlay = Overlay()
    overlay.record(.click, at: now)
    var seen = card
    seen.isViewed = true
    overlay.settle(with: seen, at: now)
    #expect(overlay.marks == [.clicked])
    seen.isClicked = true
    overlay.settle(with: seen, at: now)
    #expect(overlay.isEmpty)
  }

  @Test("a read message stays read until the vendor reports it as read")
  func read() {
    var overlay = Overlay()
    overlay.record(.read, at: now)
    overlay.settle(with: message, at: now)
    #expect(overlay.applied(to: message).isRead)
    var read = message
    read.isRead = true
    overlay.settle(with: read, at: now)
    #expect(overlay.marks == [.viewed])
  }

  @Test("a refused action is undone")
  func refusal() {
    var overlay = Overlay()
    overlay.record(.dismiss, at: now)
    overlay.undo(.dismiss)
    #expect(overlay.isEmpty && !overlay.hides(at: now))
  }

  @Test(
    "undoing a refused action keeps the marks that another action set",
    arguments: [
      (ItemAction.impression, ItemAction.click, [Overlay.Mark.viewed]),
      (.read, .open, [.viewed, .read]), (.open, .read, [.viewed, .read]),
      (.dismiss, .submit(button: nil, values: [:]), [.dismissed]),
      (.delete, .expire(at: nil), [.dismissed]), (.click, .impression, [.viewed, .clicked]),
    ])
  func refusalBesideAnother(kept: ItemAction, refused: ItemAction, marks: [Overlay.Mark]) {
    for order in [[kept, refused], [refused, kept]] {
      var overlay = Overlay()
      for action in order { overlay.record(action, at: now) }
      overlay.undo(refused)
      #expect(overlay.marks == Set(marks))
      overlay.undo(kept)
      #expect(overlay.isEmpty)
    }
  }

  @Test("A15: a snoozed item stays hidden until its time, each time it is snoozed")
  func snooze() {
    var overlay = Overlay()
    for start in [0.0, 60, 3600] {
      let start = now.addingTimeInterval(start)
      overlay.record(.snooze(seconds: 30), at: start)
      #expect(overlay.hides(at: start.addingTimeInterval(29.9)))
      #expect(!overlay.hides(at: start.addingTimeInterval(30)))
      overlay.settle(with: card, at: start.addingTimeInterval(30))
      #expect(overlay.isEmpty)
    }
  }

  @Test("an item with a later expiry stays visible until that time")
  func expiry() {
    var overlay = Overlay()
    overlay.record(.expire(at: now.addingTimeInterval(60)), at: now)
    #expect(!overlay.hides(at: now) && !overlay.isEmpty)
    #expect(!overlay.hides(at: now.addingTimeInterval(59)))
    #expect(overlay.hides(at: now.addingTimeInterval(60)))
    overlay.undo(.expire(at: now.addingTimeInterval(60)))
    #expect(overlay.isEmpty)
  }
}
