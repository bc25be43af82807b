import EngagementJSON
import EngagementModel
import TestSupport
import Testing

@Suite("Truncated and corrupted documents")
struct RobustnessTests {
  @Test("a document cut at any byte is a structural fault")
  func cut() {
    for count in 0..<sample.count {
      let document = Array(sample[..<count])
      #expect(fault(document)?.kind == .unexpectedEnd)
      #expect(fault(document)?.offset == count)
      #expect(walk(document)?.kind == .unexpectedEnd)
    }
  }

  @Test("any changed byte gives the same value or fault in every way of reading")
  func mutations() {
    let values: [UInt8] =
      isDebug
      ? [0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5c, 0x5d, 0x7b, 0x7d, 0x80, 0xc3, 0xed, 0xff]
      : Array(0...255)
    for index in sample.indices {
      for value in values {
        var document = sample
        document[index] = value
        let fault = fault(document)
        #expect(walk(document) == fault)
        if fault?.isStructural == true { #expect(itemFault(document)?.isStructural == true) }
      }
    }
  }

  @Test("random bytes give the same value or fault in every way of reading", arguments: 0..<8)
  func noise(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let alphabet = Array(#"{}[]",:\u0123e.-truefalsn é"#.utf8) + [0x00, 0x1f, 0x80, 0xff]
    for _ in 0..<many(20_000) {
      let document = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      #expect(walk(document) == fault(document))
    }
  }

  @Test("any sequence of calls on a corrupted document returns or throws", arguments: 0..<8)
  func calls(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed + 100))
    for _ in 0..<many(20_000) {
      var document = sample
      document[Int.random(in: sample.indices, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
      var cursor = JSONCursor(document)
      for _ in 0..<30 { call(Int.random(in: 0..<12, using: &random), on: &cursor) }
    }
  }

  @Test("reading corrupted unchecked items never traps")
  func unchecked() throws {
    for index in sample.indices {
      for value: UInt8 in [0x22, 0x5c, 0x7b, 0x7d, 0x80, 0x00] {
        var bytes = sample
        bytes[index] = value
        for slice in [bytes[...], bytes[..<index], bytes[index...]] {
          let item = RawItem(index: 0, uncheckedBytes: slice)
          guard let fields = try? JSONFields(item) else { continue }
          use(fields)
          fields.objects("cards")?.forEach(use)
        }
      }
    }
  }

  private func use(_ fields: JSONFields) {
    _ = (fields.json, fields.members, fields.strings("cards"), fields.objects("list"))
    for key: JSONKey in ["cards", "full_sync", "last_full_sync_at", "id", "ea", "ar", "e", "tt"] {
      _ = (fields.kind(of: key), fields.string(key), fields.integer(key), fields.number(key))
      _ = (fields.flag(key), fields.json(key), fields.raw(key), fields.fields(key))
    }
  }

  private func call(_ number: Int, on cursor: inout JSONCursor) {
    switch number {
    case 0: _ = try? cursor.enterObject()
    case 1: _ = try? cursor.nextKey()
    case 2: _ = try? cursor.enterArray()
    case 3: _ = try? cursor.nextElement()
    case 4: _ = try? cursor.string()
    case 5: _ = try? cursor.integer()
    case 6: _ = try? cursor.json()
    case 7: _ = try? cursor.items()
    case 8: _ = try? cursor.item(at: 3)
    case 9: _ = try? cursor.skip()
    case 10: _ = try? cursor.kind()
    default: _ = try? cursor.number()
    }
  }

  /// The fault that is met by entering every container.
  private func walk(_ document: [UInt8]) -> JSONFault? {
    func value(_ cursor: inout JSONCursor, _ first: inout JSONFault?) throws(JSONFault) {
      do throws(JSONFault) {
        switch try cursor.kind() {
        case .object:
          _ = try cursor.enterObject()
          while try key(&cursor, &first) { try value(&cursor, &first) }
        case .array:
          _ = try cursor.enterArray()
          while try cursor.nextElement() { try value(&cursor, &first) }
        default: try cursor.skip()
        }
      } catch {
        if error.isStructural { throw error }
        if first == nil { first = error }
      }
    }
    func key(_ cursor: inout JSONCursor, _ first: inout JSONFault?) throws(JSONFault) -> Bool {
      do throws(JSONFault) {
        return try cursor.nextKey() != nil
      } catch {
        if error.isStructural { throw error }
        if first == nil { first = error }
        return true
      }
    }
    var cursor = JSONCursor(document)
    var first: JSONFault?
    do throws(JSONFault) {
      try value(&cursor, &first)
      try cursor.finish()
    } catch {
      return error
    }
    return first
  }

  /// The first fault of the document when its cards are split into items.
  private func itemFault(_ document: [UInt8]) -> JSONFault? {
    var cursor = JSONCursor(document)
    do throws(JSONFault) {
      _ = try cursor.enterObject()
      while true {
        do throws(JSONFault) {
          guard try cursor.nextKey() != nil else { break }
          _ = try cursor.items()
        } catch {
          if error.isStructural { throw error }
        }
      }
      try cursor.finish()
      return nil
    } catch {
      return error
    }
  }
}
