import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import FoundationEssentials

/// What the adapter asked to be remembered, read back.
///
/// Where to ask and until when to be silent belong to the installation. Who the device is at the
/// vendor belongs to the user, and so does what the vendor wants to hear again.
struct CleverTapMemory {
  /// The names of the values.
  enum Name {
    static let domain = "domain"
    static let viewedDomain = "domain.viewed"
    static let domainTime = "domain.time"
    static let mutedUntil = "muted.until"
    static let firstIdentified = "identified.first"

    static let guid = "guid"
    static let inboxOff = "inbox.off"
    static let inboxTime = "inbox.time"
    static let arp = "arp"
    static let i = "i"
    static let j = "j"
    static let firstRequest = "request.first"
    static let lastRequest = "request.last"
    static let session = "request.session"

    /// What a change of user resets.
    static let ofSession = [arp, i, j, firstRequest, lastRequest, session]
  }

  let values: ScopedValues<String>
  private let configuration: CleverTapConfiguration
  private let isAnonymous: Bool

  init(_ configuration: CleverTapConfiguration, _ context: AdapterContext) {
    self.configuration = configuration
    values = context.values
    isAnonymous = context.user.isAnonymous
  }

  // MARK: Where to ask

  /// The host for a call; nil before a handshake.
  func domain(forViewed isViewed: Bool) -> String? {
    if let region = configuration.region { return isViewed ? region.viewed : region.main }
    let main = values[.installation, Name.domain]
    return isViewed ? values[.installation, Name.viewedDomain] ?? main : main
  }

  /// Whether the vendor has to be asked where to ask: nobody has, or the host does not answer.
  ///
  /// What a dead host does is never told to an adapter, so it goes by the attempts.
  func needsHandshake(in context: AdapterContext) -> Bool {
    guard configuration.region == nil else { return false }
    guard values[.installation, Name.domain] != nil else { return true }
    guard context.attempt >= Self.patience else { return false }
    let asked = date(.installation, Name.domainTime) ?? .distantPast
    return abs(context.now.timeIntervalSince(asked)) >= Self.handshakeInterval
  }

  /// How many attempts a host gets before the vendor is asked for another.
  private static let patience = 5
  private static let handshakeInterval: TimeInterval = 3_600

  /// Until when nothing is asked; nil for now.
  func mutedUntil(after now: Date) -> Date? {
    values[.installation, Name.mutedUntil].flatMap { Int64($0) }
      .flatMap(Epoch.date(milliseconds:)).flatMap { $0 > now ? $0 : nil }
  }

  // MARK: Who asks

  /// The vendor's id of the device for this user. An anonymous one that has become somebody's is
  /// nobody's any more.
  var guid: String? {
    guard let guid = values[.user, Name.guid] else { return nil }
    return isAnonymous && guid == firstIdentified ? nil : guid
  }

  /// The id of the device that was told first who uses it, empty where it had none then; nil
  /// while nobody has ever been told.
  var firstIdentified: String? { values[.installation, Name.firstIdentified] }

  // MARK: What the vendor hears again

  var arp: JSONObject {
    values[.user, Name.arp].flatMap { try? JSON(parsing: Array($0.utf8)) }?.object ?? [:]
  }

  /// The names of events that the vendor throws away.
  var discardedEvents: [String] { arp["d_e"]?.array?.compactMap(\.string) ?? [] }

  func integer(_ name: String) -> Int64? { values[.user, name].flatMap { Int64($0) } }

  func date(_ scope: Scope, _ name: String) -> Date? {
    values[scope, name].flatMap { Int64($0) }.flatMap(Epoch.date(wholeSeconds:))
  }

  /// Whether the vendor has refused the inbox of this account since the session began.
  func isInboxOff(in session: Session?) -> Bool {
    values[.user, Name.inboxOff] == Self.mark(of: session)
  }

  static func mark(of session: Session?) -> String { session?.id.text ?? "" }

  static func text(_ date: Date) -> String? { Epoch.wholeSeconds(of: date)?.description }
}
