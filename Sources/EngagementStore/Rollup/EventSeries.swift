import EngagementJSON
import EngagementPlatform

/// The events of one environment, provider and kind. Names are compared by their bytes.
package struct EventSeries: Hashable, Sendable {
  package let environment: [UInt8]
  /// Empty for events of no provider.
  package let provider: [UInt8]
  package let kind: [UInt8]
}

/// Numbers series in the order in which they are first asked for.
struct EventSeriesIndex: Sendable {
  private(set) var all: [EventSeries] = []
  /// The number that was last found for a hash; -1 if none was.
  private var recent = [Int](repeating: -1, count: 256)

  init(_ all: [EventSeries] = []) { self.all = all }

  mutating func number(environment: [UInt8], provider: RawSpan, kind: RawSpan) -> Int {
    let slot = Int((ContentHash.of(provider) &* 31 &+ ContentHash.of(kind)) & 0xff)
    let guess = recent[slot]
    if guess >= 0, all[guess].isOf(environment, provider, kind) { return guess }
    recent[slot] =
      all.firstIndex { $0.isOf(environment, provider, kind) }
      ?? add(
        EventSeries(
          environment: environment, provider: provider.copied, kind: kind.copied))
    return recent[slot]
  }

  mutating func number(of series: EventSeries) -> Int {
    all.firstIndex(of: series) ?? add(series)
  }

  private mutating func add(_ series: EventSeries) -> Int {
    all.append(series)
    return all.count - 1
  }
}

extension EventSeries {
  fileprivate func isOf(_ environment: [UInt8], _ provider: RawSpan, _ kind: RawSpan) -> Bool {
    kind.isEqual(to: self.kind) && provider.isEqual(to: self.provider)
      && environment == self.environment
  }
}

extension RawSpan {
  fileprivate func isEqual(to bytes: [UInt8]) -> Bool {
    guard byteCount == bytes.count else { return false }
    return unsafe withUnsafeBytes { own in
      unsafe bytes.withUnsafeBytes { other in
        // Empty bytes may have no address.
        guard let left = own.baseAddress, let right = other.baseAddress else {
          return true
        }
        return unsafe memcmp(left, right, own.count) == 0
      }
    }
  }

  fileprivate var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
