import EngagementKit
import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  /// An experiment between providers. Names of members and providers are checked here, and all else by
  /// the split itself.
  func split(
    _ field: ConfigurationField, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Route {
    let split = try field.members(among: ["split"])["split"]
    let members =
      try split?.members(
        among: ["experiment", "version", "arms", "otherwise", "layer", "holdOut"]) ?? [:]
    _ = try members["layer"]?.members(among: ["name", "slots"])
    _ = try members["holdOut"]?.members(among: ["name", "share"])
    for (_, arm) in try members["arms"]?.members() ?? [] {
      try check(try arm.members(among: ["weight", "providers"])["providers"], providers)
    }
    try check(members["otherwise"], providers)
    do throws(EngagementError) {
      return try Engagement.Route(json: field.value)
    } catch {
      // The message begins with the name of the member.
      throw EngagementError(.invalidConfiguration, "\(field.path).split.\(error.message)")
    }
  }

  private func check(
    _ field: ConfigurationField?, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) {
    for element in try field?.strings() ?? [] { _ = try provider(element, providers) }
  }
}
