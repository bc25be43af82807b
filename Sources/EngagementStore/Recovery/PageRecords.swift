import EngagementModel

/// A record of a table or of an index, as it stands on its page.
struct PageRecord {
  /// The row's number; nil for a record of an index.
  let row: Int64?
  let fields: [Field]

  enum Field: Hashable {
    case null
    case integer(Int64)
    case text([UInt8])
    case blob([UInt8])
    /// A number with a fraction, which no column that is saved has.
    case real
  }

  func integer(_ column: Int) -> Int64? {
    if case .integer(let value) = fields[column] { value } else { nil }
  }

  func text(_ column: Int) -> String? {
    guard case .text(let bytes) = fields[column] else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The bytes of a text or of a blob.
  func bytes(_ column: Int) -> [UInt8]? {
    switch fields[column] {
    case .text(let bytes), .blob(let bytes): bytes
    case .null, .integer, .real: nil
    }
  }

  func isNull(_ column: Int) -> Bool { fields[column] == .null }
}

/// Reads the records of all pages, whatever of the tree above them is left.
///
/// A page whose own order is damaged is searched byte by byte: deleted records are overwritten, so
/// what looks like a record is one.
struct PageRecords {
  private let images: PageImages
  private let size = PageImages.pageSize

  init(_ images: PageImages) { self.images = images }

  /// Hands each record to the body; returns whether every page was readable.
  func readAll(_ body: (PageRecord) -> Void) -> Bool {
    var isWhole = images.count > 0 && !images.isLogDamaged
    var empty: [Int] = []
    for number in stride(from: 1, through: images.count, by: 1) {
      guard let page = images.page(number) else {
        isWhole = false
        continue
      }
      if page.allSatisfy({ $0 == 0 }) { empty.append(number) }
      if !read(page, isFirst: number == 1, body) { isWhole = false }
    }
    return isWhole && !lacksPages(empty)
  }

  /// Whether pages are missing: at the end of the file by its header, or empty ones that were not free.
  private func lacksPages(_ empty: [Int]) -> Bool {
    guard let header = images.page(1), Self.page(header, 28) <= images.count else { return true }
    var free: Set<Int> = []
    var next = Self.page(header, 32)
    while next > 0, free.insert(next).inserted, let list = images.page(next) {
      let count = min(Self.page(list, 4), size / 4 - 2)
      free.formUnion((0..<count).map { Self.page(list, 8 + 4 * $0) })
      next = Self.page(list, 0)
    }
    return !free.isSuperset(of: empty)
  }

  // MARK: Pages

  /// Returns whether the page's own order is sound.
  private func read(_ page: [UInt8], isFirst: Bool, _ body: (PageRecord) -> Void) -> Bool {
    let base = isFirst ? 100 : 0
    switch page[base] {
    case 13: return readLeaf(page, base, isTable: true, body)
    case 10: return readLeaf(page, base, isTable: false, body)
    case 2 where Self.page(page, base + 8) <= images.count:
      return readLeaf(page, base, isTable: false, behind: 4, body)
    case 5 where Self.page(page, base + 8) <= images.count: return true
    // A free page, or one that holds the rest of a long record: it begins with the number of another.
    case 0 where !isFirst && Self.page(page, 0) <= images.count: return true
    default:
      search(page, from: isFirst ? 100 : 0, body)
      return false
    }
  }

  /// Reads a leaf, or a page of an index between root and leaves, which has records of its own.
  ///
  /// - Parameter pointer: The length of the number of a page that is before each record.
  private func readLeaf(
    _ page: [UInt8], _ base: Int, isTable: Bool, behind pointer: Int = 0,
    _ body: (PageRecord) -> Void
  ) -> Bool {
    let count = Self.short(page, base + 3)
    let start = base + 8 + pointer
    let places = count <= size / 6 ? (0..<count).map { Self.short(page, start + 2 * $0) } : []
    let records = places.map { place in
      place >= start + 2 * count && place + pointer < size
        ? record(page, at: place + pointer, isTable: isTable) : nil
    }
    for case let record? in records { body(record) }
    guard records.count != count || records.contains(where: { $0 == nil }) else { return true }
    guard isTable else { return false }
    let content = Self.short(page, base + 5)
    search(page, from: content > start && content < size ? content : start, body)
    return false
  }

  /// Looks for records of tables at every byte.
  private func search(_ page: [UInt8], from start: Int, _ body: (PageRecord) -> Void) {
    for place in start..<size - 8 {
      // Rows that are saved begin with their number, which is not in the record itself.
      guard let (_, header) = head(page, at: place), header + 1 < size, page[header] > 2,
        page[header + 1] == 0, let found = record(page, at: place, isTable: true)
      else { continue }
      body(found)
    }
  }

  private static func short(_ page: [UInt8], _ place: Int) -> Int {
    Int(page[place]) << 8 | Int(page[place + 1])
  }

  // MARK: Records

  /// The length of the record of a table and where it begins.
  private func head(_ page: [UInt8], at place: Int) -> (length: Int, start: Int)? {
    guard let (length, afterLength) = Self.number(page, at: place),
      let (_, start) = Self.number(page, at: afterLength), (2...Self.longest).contains(length)
    else { return nil }
    return (Int(length), start)
  }

  /// No row of the cache is longer.
  private static let longest: Int64 = 1 << 26

  private func record(_ page: [UInt8], at place: Int, isTable: Bool) -> PageRecord? {
    guard let (length, afterLength) = Self.number(page, at: place),
      (2...Self.longest).contains(length)
    else { return nil }
    guard isTable else {
      return payload(page, at: afterLength, Int(length), isTable: false).flatMap {
        Self.fields(in: $0).map { PageRecord(row: nil, fields: $0) }
      }
    }
    guard let (row, start) = Self.number(page, at: afterLength) else { return nil }
    return payload(page, at: start, Int(length), isTable: true).flatMap {
      Self.fields(in: $0).map { PageRecord(row: row, fields: $0) }
    }
  }

  /// The bytes of a record, of which a long one has a part on other pages.
  private func payload(
    _ page: [UInt8], at start: Int, _ length: Int, isTable: Bool
  ) -> [UInt8]? {
    let most = isTable ? size - 35 : (size - 12) * 64 / 255 - 23
    guard length > most else {
      return start + length <= size ? Array(page[start..<start + length]) : nil
    }
    let least = (size - 12) * 32 / 255 - 23
    let wanted = least + (length - least) % (size - 4)
    let local = wanted <= most ? wanted : least
    guard start + local + 4 <= size else { return nil }
    var bytes = Array(page[start..<start + local])
    var next = Self.page(page, start + local)
    // More than there are pages, and they would lead in a circle.
    guard length <= images.count * size else { return nil }
    while bytes.count < length {
      guard next > 0, let image = images.page(next) else { return nil }
      bytes += image[4..<min(size, 4 + length - bytes.count)]
      next = Self.page(image, 0)
    }
    return bytes
  }

  private static func page(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number in SQLite's variable length, and the place behind it.
  private static func number(_ bytes: [UInt8], at start: Int) -> (Int64, Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard start + index < bytes.count else { return nil }
      let byte = bytes[start + index]
      if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), start + 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (Int64(bitPattern: value), start + index + 1) }
    }
    return nil
  }

  /// The columns; nil unless their lengths add up to the record's.
  private static func fields(in bytes: [UInt8]) -> [PageRecord.Field]? {
    guard let (length, first) = number(bytes, at: 0), (1...Int64(bytes.count)).contains(length)
    else { return nil }
    var (place, start) = (first, Int(length))
    var fields: [PageRecord.Field] = []
    while place < Int(length) {
      guard let (type, next) = number(bytes, at: place), let size = size(of: type),
        size <= bytes.count - start
      else { return nil }
      fields.append(field(type, bytes[start..<start + size]))
      (place, start) = (next, start + size)
    }
    return place == Int(length) && start == bytes.count ? fields : nil
  }

  private static func size(of type: Int64) -> Int? {
    switch type {
    case 0...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 8, 9: 0
    case 12...: Int(clamping: (type - 12) / 2)
    default: nil
    }
  }

  private static func field(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> PageRecord.Field {
    switch type {
    case 0: return .null
    case 7: return .real
    case 8, 9: return .integer(type - 8)
    case 12...: return type % 2 == 0 ? .blob(Array(bytes)) : .text(Array(bytes))
    default:
      let isNegative = (bytes.first ?? 0) >= 0x80
      return .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
    }
  }
}
