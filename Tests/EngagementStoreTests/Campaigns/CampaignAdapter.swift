import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import Foundation

/// An invented vendor whose campaigns are the neutral JSON of campaigns.
///
/// A custom event is an occurrence with its name and properties; a launch waits for its answer. An
/// update of a person is one occurrence for each attribute.
struct CampaignAdapter: EngagementAdapter {
  let vendor: Vendor = "bell"
  let capabilities = AdapterCapabilities(
    abilities: [.campaigns: .request, .events: .event], hosts: AllowedHosts([]))

  func step(
    for operation: EngagementAdapterAPI.Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step { .done([]) }

  func answer(
    to operation: EngagementAdapterAPI.Operation, from response: HTTPResponse,
    in context: AdapterContext
  ) -> Answer { Answer() }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    guard let json = try? JSON(parsing: Array(item.bytes)) else {
      throw EngagementError(.malformedResponse, "This is no JSON.")
    }
    if json["kind"] != nil { throw EngagementError(.unsupported, "Another kind of in-app.") }
    var campaign = try Campaign(json: json)
    campaign.handle = json["handle"]?.object ?? [:]
    return campaign
  }

  func occurrences(in operation: EngagementAdapterAPI.Operation) -> [Campaign.Occurrence] {
    switch operation {
    case .events(let events):
      return events.map {
        Campaign.Occurrence(
          $0.name ?? $0.kind.rawValue, properties: $0.properties, waitsForAnswer: $0.kind == .launch
        )
      }
    case .vendor("profile", let values):
      return (values.object?.members ?? []).map {
        Campaign.Occurrence(
          "\($0.key) changed", properties: ["newValue": $0.value], attribute: $0.key)
      }
    default: return []
    }
  }
}
