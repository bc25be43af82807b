import EngagementAdapterAPI
import EngagementDocuments
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Reads `engage.json`. Whatever is wrong with it is told by the path of the key and, where a name
/// is unknown, with the nearest one that is right.
struct ConfigurationReader {
  let file: String
  let secrets: SecretReader
  let vendors: [VendorRegistration]

  private static let keys = [
    "cache", "user", "consent", "certificateAuthorities", "providers", "containers", "routes",
    "ledger", "caps",
  ]
  private static let longest = 1_000_000
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Reads the document that is meant.
  static func read(
    _ option: String?, vendors: [VendorRegistration], in context: CommandContext
  ) throws(EngagementError) -> EngageConfiguration {
    let file = path(option, in: context)
    let input: InputFile
    do throws(EngagementError) {
      input = try InputFile(file)
    } catch {
      throw EngagementError(
        .invalidConfiguration,
        "There is no configuration to read at \(file); run \"engage init\", or name one with "
          + "--config.", underlying: error.underlying)
    }
    let bytes: [UInt8]
    do throws(EngagementError) {
      bytes = try input.bytes(atMost: longest)
    } catch {
      throw EngagementError(
        .invalidConfiguration, "\(file): \(error.message)", underlying: error.underlying)
    }
    guard !bytes.starts(with: byteOrderMark) else {
      throw EngagementError(
        .invalidConfiguration,
        "\(file): It begins with a byte order mark; save it as UTF-8 without one.")
    }
    let secrets = SecretReader(
      environment: context.environment, folder: CommandContext.folder(of: file))
    return try ConfigurationReader(file: file, secrets: secrets, vendors: vendors).read(bytes)
  }

  /// Where the document is: the option's, `$ENGAGE_CONFIG`, or the `engage.json` of this folder or the
  /// nearest one above it. If there is none, the one of this folder.
  static func path(_ option: String?, in context: CommandContext) -> String {
    let named = option ?? context.environment("ENGAGE_CONFIG")
    if let named, !named.isEmpty { return context.path(named) }
    let here = context.path(standard)
    var folder = context.directory[...]
    while true {
      let path = folder == "/" ? "/\(standard)" : "\(folder)/\(standard)"
      if access(path, F_OK) == 0 { return path }
      guard let slash = folder.lastIndex(of: "/"), folder != "/" else { return here }
      folder = slash == folder.startIndex ? "/" : folder[..<slash]
    }
  }

  private static let standard = "engage.json"

  // MARK: The document

  func read(_ bytes: [UInt8]) throws(EngagementError) -> EngageConfiguration {
    do throws(EngagementError) {
      return try read(ConfigurationField(value: Document.parse(bytes), path: ""))
    } catch {
      var named = error
      named.message = "\(file): \(error.message)"
      throw named
    }
  }

  private func read(_ document: ConfigurationField) throws(EngagementError) -> EngageConfiguration {
    let members = try document.members(among: Self.keys)
    guard let field = members["providers"] else { throw document.missing("providers") }
    let entries = try providers(field)
    let providers = entries.map(\.provider)
    try checkNames(routes: members["routes"], containers: members["containers"], providers)
    let containers = try members["containers"].map { (field) throws(EngagementError) in
      try self.containers(field, providers)
    }
    let user = try members["user"].map { (field) throws(EngagementError) in try field.string() }
    return EngageConfiguration(
      file: file, cache: try cache(members["cache"]),
      certificateAuthorities: try members["certificateAuthorities"].map(authorities),
      user: user.map { User(UserID($0)) },
      consent: try members["consent"].map(consent),
      ledgerRetention: try members["ledger"].map(ledgerRetention) ?? LedgerRetention(),
      caps: try members["caps"].map(caps) ?? Engagement.Options.Caps(),
      providers: providers,
      routes: try routes(members["routes"], providers),
      writtenRoutes: Set(try members["routes"]?.members().map { $0.name } ?? []),
      containers: Engagement.ContainerMap(
        Dictionary(containers ?? [], uniquingKeysWith: { first, _ in first })),
      containerNames: (containers ?? []).map(\.0),
      credentialPlaces: Dictionary(
        entries.compactMap { entry in entry.credential.map { (entry.provider.id, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }

  private func cache(_ field: ConfigurationField?) throws(EngagementError) -> String {
    let path = CommandContext.joined(secrets.folder, try field?.string() ?? "engagement.sqlite")
    guard let field,
      path == file || ["", ".", ".."].contains(path.split(separator: "/").last ?? "")
    else { return path }
    throw field.fault("names no file that can hold a cache")
  }

  private func authorities(_ field: ConfigurationField) throws(EngagementError) -> String {
    _ = try field.file(in: secrets.folder)
    return CommandContext.joined(secrets.folder, try field.string())
  }

  private func consent(_ field: ConfigurationField) throws(EngagementError) -> Consent {
    let known = Consent.allCases.map(\.rawValue)
    let name = try field.name("level of consent", among: known)
    return Consent(rawValue: name) ?? .unknown
  }

  // MARK: Providers

  /// A provider, and where the credential of its user is.
  private typealias Entry = (provider: ConfiguredProvider, credential: CredentialPlace?)

  private func providers(_ field: ConfigurationField) throws(EngagementError) -> [Entry] {
    var providers: [Entry] = []
    for (name, field) in try field.members() {
      guard !name.isEmpty, !name.contains("/") else {
        throw field.fault("is no name of a provider: it is empty or has a slash")
      }
      guard !name.unicodeScalars.contains(where: SafeText.isUnsafe) else {
        throw field.fault("is no name of a provider: it has a control character")
      }
      providers.append(try provider(ProviderID(name), field))
    }
    guard !providers.isEmpty else { throw field.fault("names no provider; name at least one") }
    return providers
  }

  private func provider(
    _ id: ProviderID, _ field: ConfigurationField
  ) throws(EngagementError) -> Entry {
    // Only the vendor's registration knows the other keys.
    guard let vendor = try field.members().first(where: { $0.name == "vendor" })?.field else {
      throw field.missing("vendor")
    }
    let name = try vendor.name("vendor", among: vendors.map(\.name))
    guard let registration = vendors.first(where: { $0.name == name }),
      let makeProvider = registration.makeProvider
    else {
      throw vendor.fault("names \"\(name)\", which is not available in this version")
    }
    let keys = ["vendor", "contentKey"]
    let members = try field.members(among: keys + registration.configurationKeys)
    var read: [(place: CredentialPlace, secret: Secret)] = []
    let fields = ProviderFields(id: id, whole: field, members: members) {
      (field) throws(EngagementError) in
      let secret = try secrets.secret(field)
      read.append((CredentialPlace(field, secrets), secret))
      return secret
    }
    var provider: ConfiguredProvider
    do throws(EngagementError) { provider = try makeProvider(fields) } catch {
      // What the adapter itself refuses is told by its own name of the field.
      guard !error.message.hasPrefix(field.path) else { throw error }
      throw field.fault("cannot be used: \(error.message.trimmedFullStop)")
    }
    if let field = members["templates"] {
      provider.templates = try templates(
        field, reserved: provider.adapter.capabilities.reservedTemplates)
    }
    provider.contentKey = try members["contentKey"].map(contentKey)
    provider.fileHosts = try members["fileHosts"].map(fileHosts) ?? []
    // Only the vendor's registration knows which of the secrets is the user's.
    let credential = read.first { $0.secret == provider.credential }?.place
    return (provider, credential)
  }
}

extension String {
  fileprivate var trimmedFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
