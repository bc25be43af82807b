import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  /// Throws one error that names every place with a provider which is not there, if there are several: a
  /// provider that was removed is often named more than once.
  func checkNames(
    routes: ConfigurationField?, containers: ConfigurationField?, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) {
    var names = routes.map(Self.providerNames) ?? []
    for (_, places) in (try? containers?.members()) ?? [] {
      for (name, place) in (try? places.members()) ?? [] {
        names.append(ConfigurationField(value: .string(name), path: place.path))
      }
    }
    var faults: [EngagementError] = []
    for name in names {
      do throws(EngagementError) { _ = try provider(name, providers) } catch {
        faults.append(error)
      }
    }
    guard faults.count > 1 else { return }
    throw EngagementError(
      .invalidConfiguration, faults.map(\.message).joined(separator: " "))
  }

  /// The members of a route that name providers.
  private static let naming: Set<String> = [
    "only", "merge", "firstReady", "mirror", "candidates", "providers", "otherwise",
  ]

  /// Every text below the field that names a provider.
  private static func providerNames(in field: ConfigurationField) -> [ConfigurationField] {
    var names: [ConfigurationField] = []
    for (name, field) in (try? field.members()) ?? [] {
      switch field.value {
      case .string where naming.contains(name): names.append(field)
      case .array where naming.contains(name): names += (try? field.strings()) ?? []
      case .object: names += providerNames(in: field)
      case .string, .array, .null, .bool, .integer, .number: continue
      }
    }
    return names
  }
}
