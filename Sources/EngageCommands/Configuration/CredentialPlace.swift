import EngagementModel
import EngagementVendors

/// Where `engage.json` says that a user's credential is. It is read again each time, so that a file
/// may be renewed while a command runs.
struct CredentialPlace: Sendable {
  /// The path of the key, such as `providers.shop.token`.
  let key: String
  private let value: JSON
  private let reader: SecretReader

  init(_ field: ConfigurationField, _ reader: SecretReader) {
    (key, value, self.reader) = (field.path, field.value, reader)
  }

  func secret() throws(EngagementError) -> Secret {
    try reader.secret(ConfigurationField(value: value, path: key))
  }

  /// What to do for another credential.
  var renewal: String {
    if let file = value["file"]?.string {
      return "Write a new one into \(CommandContext.joined(reader.folder, file)); it is read again."
    }
    // An error of the configuration tells when the name is that of no variable.
    if let name = value["env"]?.string {
      return "Put a new one into the variable \(name), and run the command again."
    }
    return "Put a new one there, and run the command again."
  }
}
