import Testing

@testable import EngagementKit

extension PresentationQueueTests {
  @Test("C8: an entry whose files take long lets others go first, and is shown when they are there")
  func slowFiles() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1, priority: 9))
    queue.add(entry(2))
    queue.add(entry(3))
    #expect(queue.next(at: now()) == [.prepare(entry(1, priority: 9))])
    #expect(queue.nextUptime == .seconds(2))
    #expect(queue.next(at: now(1.9)).isEmpty)
    #expect(show(queue, queue.next(at: now(2)), at: now(2)) == [2])
    #expect(queue.prepared(1, at: now(3)).isEmpty, "another one is visible")
    #expect(show(queue, queue.dismissed(2, at: now(4)), at: now(4)) == [1])
    #expect(show(queue, queue.dismissed(1, at: now(5)), at: now(5)) == [3])
  }

  @Test("C8: an entry whose files take long waits for them if nothing else is due")
  func slowFilesAlone() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1))
    queue.add(entry(2, after: 100))
    #expect(queue.next(at: now()) == [.prepare(entry(1))])
    #expect(queue.next(at: now(2)).isEmpty)
    #expect(queue.nextUptime == nil, "its time is over, and nobody waits for it")
    #expect(show(queue, queue.prepared(1, at: now(60)), at: now(60)) == [1])
  }

  @Test("C8: slow files that cannot be had skip their entry alone")
  func slowFilesMissing() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1))
    queue.add(entry(2))
    _ = queue.next(at: now())
    #expect(queue.next(at: now(2)) == [.prepare(entry(2))])
    #expect(queue.failed(1, at: now(3)) == [.end(entry(1), .skipped)])
    #expect(queue.removeAll() == [.end(entry(2), .discarded)])
  }
}
