import EngagementHTTP
public import EngagementModel

extension Engagement.Options {
  /// What the templates of campaigns may do.
  public struct Presentations: Sendable {
    /// The addresses that an action may open.
    public var links: LinkPolicy
    /// Opens an address that `links` allows.
    public var openURL: @Sendable (String) -> Void
    /// Takes the key-value pairs of an action.
    public var takeKeyValues: @Sendable (JSONObject) -> Void
    /// The hosts that files of campaigns may come from, such as `files.example.com` or, for all hosts
    /// below one, `*.example.com`. By default none, and a campaign with a file is skipped.
    public var fileHosts: [String]
    /// How long a template may stay visible before it is taken away; nil for any time.
    public var timeLimit: Duration?
    /// Whether templates are presented although no active scene was reported, as in a command.
    public var withoutScene: Bool
    /// How often templates may interrupt one user, over all providers together; by default at any time.
    public var caps: Caps

    public init(
      links: LinkPolicy = LinkPolicy(), openURL: @escaping @Sendable (String) -> Void = { _ in },
      takeKeyValues: @escaping @Sendable (JSONObject) -> Void = { _ in },
      fileHosts: [String] = [], timeLimit: Duration? = nil, withoutScene: Bool = false,
      caps: Caps = Caps()
    ) {
      self.links = links
      self.openURL = openURL
      self.takeKeyValues = takeKeyValues
      self.fileHosts = fileHosts
      self.timeLimit = timeLimit
      self.withoutScene = withoutScene
      self.caps = caps
    }
  }

  /// The addresses that an action may open.
  public struct LinkPolicy: Hashable, Sendable {
    /// In lower case, without the colon. An application adds its own scheme for its deep links.
    public var schemes: Set<String>
    /// The hosts of https addresses, in the form of `fileHosts`; nil for any host.
    public var hosts: [String]?

    public init(schemes: Set<String> = ["https"], hosts: [String]? = nil) {
      self.schemes = schemes
      self.hosts = hosts
    }

    /// Whether the address may be opened. One that could run code or read files never is.
    public func allows(_ text: String) -> Bool {
      guard let text = VendorURL.checked(text), let colon = text.utf8.firstIndex(of: 0x3a) else {
        return false
      }
      guard schemes.contains(text[..<colon].lowercased()) else { return false }
      guard let url = try? HTTPURL(text) else { return !text.lowercased().hasPrefix("http") }
      return hosts.map { AllowedHosts(named: $0).allows(url) } ?? true
    }
  }
}

extension Options {
  /// Throws `invalidConfiguration`, which names the field.
  func checkHosts() throws(EngagementError) {
    let fields = [
      ("presentations.fileHosts", presentations.fileHosts),
      ("presentations.links.hosts", presentations.links.hosts ?? []), ("imageHosts", imageHosts),
    ]
    for (field, hosts) in fields {
      for host in hosts where (try? HostPattern(validating: host)) == nil {
        throw .configurationFault(
          "options.\(field) has \"\(host)\", which is no host; "
            + "use files.example.com, or *.example.com for all hosts below one.")
      }
    }
  }
}

extension AllowedHosts {
  /// The hosts that are written correctly; `open` has refused any other.
  init(named hosts: [String]) {
    self.init(hosts.compactMap { try? HostPattern(validating: $0) })
  }
}
