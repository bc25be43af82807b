import EngagementDocuments
import EngagementHTTP
import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  private static let longestDefinitions = 1_000_000

  /// The templates that the file of a provider defines.
  ///
  /// - Parameter reserved: Names of the vendor's own templates.
  func templates(
    _ field: ConfigurationField, reserved: Set<String>
  ) throws(EngagementError) -> [Template] {
    let file = try field.file(in: secrets.folder)
    let path = CommandContext.joined(secrets.folder, try field.string())
    do throws(EngagementError) {
      return try TemplateDefinitions.parse(
        try file.bytes(atMost: Self.longestDefinitions), reserved: reserved)
    } catch {
      throw EngagementError(
        .invalidConfiguration, "\(field.path): \(path): \(error.message)",
        underlying: error.underlying)
    }
  }

  /// The hosts that files of a provider's campaigns may come from.
  func fileHosts(_ field: ConfigurationField) throws(EngagementError) -> [String] {
    var hosts: [String] = []
    for element in try field.strings() {
      let host = try element.string()
      guard (try? HostPattern(validating: host)) != nil else {
        throw element.fault(
          "is \"\(host)\", which is no host; use files.example.com, or *.example.com for all "
            + "hosts below one")
      }
      hosts.append(host)
    }
    return hosts
  }
}
