import EngagementModel
import Glibc
import Testing

@testable import EngagementStore

/// The kernel's name for this thread. Not `pthread_self`: glibc declares it `const`, so a compiler
/// may reuse its value after an `await`, when the task runs on another thread.
private func currentThread() -> String {
  var name = [CChar](repeating: 0, count: 64)
  let count = readlink("/proc/thread-self", &name, name.count)
  return String(decoding: name.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private actor Owner {
  private let executor: StoreExecutor
  private var numbers: [Int] = []
  private let onEnd: (@Sendable () -> Void)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

  init(onEnd: (@Sendable () -> Void)? = nil) throws {
    executor = try StoreExecutor()
    self.onEnd = onEnd
  }

  deinit { onEnd?() }

  func add(_ number: Int) -> String {
    assertIsolated()
    numbers.append(number)
    return currentThread()
  }

  func all() -> [Int] { numbers }

  nonisolated func checked() { preconditionIsolated() }
  func checkedInside() { checked() }
}

@Suite struct StoreExecutorTests {
  @Test("jobs run in order on one thread outside the shared pool")
  func order() async throws {
    let owner = try Owner()
    var threads: Set<String> = []
    for number in 0..<1000 { threads.insert(await owner.add(number)) }
    #expect(await owner.all() == Array(0..<1000))
    #expect(threads.count == 1)
    // A detached task, because a release build removes the hop to an actor without state.
    let pool = await Task.detached { currentThread() }.value
    #expect(!pool.isEmpty && !threads.contains(pool))
    // The owner's thread must still exist; otherwise a pool thread may have the same number.
    withExtendedLifetime(owner) {}
  }

  @Test("jobs from many tasks run one at a time")
  func concurrency() async throws {
    let owner = try Owner()
    let threads = await withTaskGroup(of: String.self) { group in
      for number in 0..<500 { group.addTask { await owner.add(number) } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(threads.count == 1)
    #expect(await owner.all().sorted() == Array(0..<500))
  }

  @Test("synchronous code on the executor's thread counts as isolated to the actor")
  func isolation() async throws {
    let owner = try Owner()
    await owner.checkedInside()
  }

  @Test("code on another thread fails the isolation check")
  func noIsolation() async throws {
    await #expect(processExitsWith: .failure) {
      try Owner().checked()
    }
  }

  @Test("actors are released even while their last job runs")
  func lifetimes() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    for number in 0..<200 {
      let owner = try Owner { end.yield() }
      _ = await owner.add(number)
    }
    var count = 0
    for await _ in ends.prefix(200) { count += 1 }
    #expect(count == 200)
  }

  @Test("the thread releases its queue once the executor is gone", .timeLimit(.minutes(20)))
  func shutdown() async throws {
    weak var worker: AnyObject?
    do {
      let executor = try StoreExecutor()
      worker = Mirror(reflecting: executor).descendant("worker") as AnyObject
      #expect(worker != nil)
    }
    // The thread holds the last reference, so this ends when the thread does.
    while worker != nil { await Task.yield() }
  }
}
