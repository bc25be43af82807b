import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation

@testable import EngagementKit

/// The lists of three vendors, which a test may change. What follows the first dot of an id is the content
/// key of the item.
final class VendorLists: Sendable {
  static let keys: ContentKeys = ["a": .extra("sku"), "b": .extra("sku"), "c": .extra("sku")]
  static let vendors = ["a", "b", "c"].map { (name: ProviderID) in
    var vendor = PuppetAdapter(name)
    @Sendable func key(_ id: ItemID) -> JSON? {
      id.value.split(separator: ".", maxSplits: 1).dropFirst().first.map { .string(String($0)) }
    }
    vendor.shape = { $0.extras["sku"] = key($0.id) }
    vendor.shapeMessage = { $0.custom["sku"] = key($0.id) }
    return vendor
  }

  private let all = Locked<[String: String]>([:])
  private let failing = Locked<Set<ProviderID>>([])

  func set(_ list: String, at provider: ProviderID) {
    all.withLock { $0[provider.rawValue] = list }
  }

  /// Whether the vendor answers nothing but errors.
  func fail(_ provider: ProviderID, _ isFailing: Bool = true) {
    failing.withLock { failing in
      if isFailing { failing.insert(provider) } else { failing.remove(provider) }
    }
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let host = ["a", "b", "c"].first { request.isFor(ProviderID($0)) } ?? "a"
    if failing.withLock({ $0.contains(ProviderID(host)) }) { return .json(503, "{}") }
    guard request.line.hasSuffix("/cards") || request.line.hasSuffix("/inbox") else {
      return .json(200, "[]")
    }
    return .json(200, all.withLock { $0[host] } ?? "[]")
  }
}
