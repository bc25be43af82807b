import EngagementModel
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct RowInsertionTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "each row is inserted once, and the rows that were there already are told apart",
    arguments: [0, 1, RowInsertion.size - 1, RowInsertion.size, 3 * RowInsertion.size + 1])
  func once(count: Int) throws {
    var database = try scratch.notes()
    var insertion = RowInsertion(
      into: "note", shared: ["body"], own: ["id"], conflict: "ON CONFLICT DO NOTHING")
    let ids = (0..<Int64(count)).map { $0 * 2 }
    let first = try insert(ids, by: &insertion, into: &database)
    #expect(first == ids.map { _ in true })
    // Every second one is there already.
    let all = 0..<Int64(2 * count)
    #expect(try insert(Array(all), by: &insertion, into: &database) == all.map { $0 % 2 == 1 })
    #expect(try database.count() == Int64(2 * count))
  }

  @Test("of rows with the same key in one call the first is new")
  func twice() throws {
    var database = try scratch.notes()
    var insertion = RowInsertion(
      into: "note", shared: ["body"], own: ["id"], conflict: "ON CONFLICT DO NOTHING")
    let ids = Array(repeating: Int64(7), count: RowInsertion.size)
    let isNew = try insert(ids, by: &insertion, into: &database)
    #expect(isNew == ids.indices.map { $0 == 0 })
  }

  @Test("without a rule for conflicts a row that is there already is an error")
  func conflict() throws {
    var database = try scratch.notes()
    var insertion = RowInsertion(into: "note", shared: ["body"], own: ["id"])
    let ids = (0..<Int64(RowInsertion.size)).map { $0 }
    _ = try insert(ids, by: &insertion, into: &database)
    let error = failure { () throws(EngagementError) in
      _ = try insert(ids, by: &insertion, into: &database)
    }
    #expect(error?.code == .conflict)
  }

  /// What `run` returns; expects that it counts the new rows.
  private func insert(
    _ ids: [Int64], by insertion: inout RowInsertion, into database: inout Database
  ) throws(EngagementError) -> [Bool] {
    try database.transaction { (database) throws(EngagementError) in
      var isNew: [Bool] = []
      isNew = try insertion.run(
        ids.count, on: &database, shared: { $0.append("text") },
        own: { (index, newBefore, values) in
          #expect(newBefore <= index)
          values.append(ids[index])
        })
      return isNew
    }
  }
}
