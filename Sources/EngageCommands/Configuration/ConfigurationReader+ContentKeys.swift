import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  /// By what the items of a provider are known as copies of contents.
  func contentKey(_ field: ConfigurationField) throws(EngagementError) -> ContentKeySource {
    if case .string = field.value {
      let known: [String: ContentKeySource] = ["campaign": .campaign, "fingerprint": .fingerprint]
      let name = try field.name("content key", among: known.keys.sorted())
      return known[name] ?? .campaign
    }
    guard case .object = field.value else {
      throw field.wrongType("\"campaign\", \"fingerprint\" or {\"extra\": NAME}")
    }
    let members = try field.members(among: ["extra"])
    guard let extra = members["extra"] else { throw field.missing("extra") }
    return .extra(try extra.string())
  }
}
