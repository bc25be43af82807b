extension EngagementEvent {
  /// The kind of an event. The set is open: a kind without a constant here is kept unchanged.
  public struct Kind: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    // MARK: On an item
    public static let delivered: Kind = "delivered"
    /// The vendor's own notion, for example that an item was on screen, however briefly.
    public static let displayed: Kind = "displayed"
    public static let seen: Kind = "seen"
    /// The kit's own notion, the same for every vendor: see `ImpressionMeter`.
    public static let impression: Kind = "impression"
    public static let click: Kind = "click"
    public static let open: Kind = "open"
    public static let read: Kind = "read"
    public static let dismiss: Kind = "dismiss"
    public static let snooze: Kind = "snooze"
    /// The user was asked for how long an item is snoozed; `properties.cancelled` says that no time
    /// was chosen.
    public static let snoozeOptions: Kind = "snooze.options"
    public static let submit: Kind = "submit"
    /// The vendor took a submission whose `properties.button` has a `properties.payload` for the
    /// application.
    public static let submitted: Kind = "submitted"
    public static let vote: Kind = "vote"
    public static let expire: Kind = "expire"
    public static let redirect: Kind = "redirect"
    public static let subview: Kind = "subview"
    public static let video: Kind = "video"
    /// A file of a submission; `properties` says `started`, `completed` or `failed`, and which file.
    public static let upload: Kind = "upload"

    // MARK: On a push, the application or a surface
    public static let receive: Kind = "receive"
    public static let launch: Kind = "launch"
    public static let sessionStart: Kind = "session.start"
    /// `properties.seconds` is the length of the session.
    public static let sessionEnd: Kind = "session.end"
    public static let inboxFetch: Kind = "inbox.fetch"
    /// A vendor has changed a list of cards; `properties` has its `containerID` and the `count` of its
    /// cards.
    public static let feedUpdated: Kind = "feed.updated"
    public static let streamDisplayed: Kind = "stream.displayed"
    public static let variablesUpdated: Kind = "variables.updated"
    public static let templatePresented: Kind = "template.presented"
    public static let templateDismissed: Kind = "template.dismissed"
    /// An action of a template did nothing; `properties.reason` says why.
    public static let actionRefused: Kind = "action.refused"

    // MARK: On a person
    /// A push token was given to be registered; `properties` has its `service` and `environment`.
    public static let register: Kind = "register"
    /// A user signed in, or was associated with an id of the application.
    public static let identify: Kind = "identify"
    /// An event of the application's own, with a `name` and properties.
    public static let custom: Kind = "custom"
    /// `name` is the product; `properties` has `currency`, `price`, `quantity` and the
    /// application's own.
    public static let purchase: Kind = "purchase"
    /// A user took all consent back.
    public static let optOut: Kind = "optout"

    // MARK: On providers and the kit
    /// A refresh was answered; `properties.milliseconds` says how long it took.
    public static let providerRequest: Kind = "provider.request"
    /// A refresh or a request failed; `properties.milliseconds` says how long it took.
    public static let providerFailed: Kind = "provider.failed"
    /// A route shows another provider, or refuses to return to a preferred one; `properties` has the
    /// `outcome`, `from`, `to`, the `reason` and how many `milliseconds` it took. A live channel that polls
    /// instead has none of these but its `path`.
    public static let providerFallback: Kind = "provider.fallback"
    /// The application has given a credential in place of an earlier one.
    public static let credentialRenewed: Kind = "credential.renewed"
    public static let providerMismatch: Kind = "provider.mismatch"
    public static let routeChanged: Kind = "route.changed"
    /// A surface moved a stage on or back; `properties` has the `surface`, the providers as `old` and
    /// `new`, the stages `from` and `to`, `by` whom and `why`, and the `gates` as they were.
    public static let migrationStepped: Kind = "migration.stepped"
    /// A push of a vendor from which pushes have moved came late and is not to be shown.
    public static let pushDropped: Kind = "push.dropped"
    /// A campaign is to be presented; `properties.trigger` is what made it due.
    public static let campaignDue: Kind = "campaign.due"
    /// A campaign that was due is not presented; `properties.reason` says why.
    public static let campaignDropped: Kind = "campaign.dropped"
    public static let itemQuarantined: Kind = "item.quarantined"
    /// A provider lists several items with one content key; all of them stay. `properties` has the digest
    /// of the `key` and the `count` of the items.
    public static let contentDuplicated: Kind = "content.duplicated"
    /// An item is held back by a cap or a quiet time; `properties.reason` says by which, and
    /// `properties.until` until when.
    public static let itemHeld: Kind = "item.held"
    public static let outboxDropped: Kind = "outbox.dropped"
    /// A person was put into an arm of an experiment and may not have seen a difference yet. `name` is
    /// the experiment; `properties` has the `arm`, the `version`, and what people are grouped by.
    public static let experimentAssigned: Kind = "experiment.assigned"
    /// A person could see the difference that an arm makes; as `experimentAssigned` otherwise.
    public static let experimentExposed: Kind = "experiment.exposed"
  }
}

extension EngagementEvent.Kind {
  /// The kinds with a constant. A cache may have others, of an adapter that is not ours.
  package static let known: [Self] = [
    .delivered, .displayed, .seen, .impression, .click, .open, .read, .dismiss, .snooze,
    .snoozeOptions, .submit, .submitted, .vote, .expire, .redirect, .subview, .video, .upload,
    .receive, .launch, .sessionStart, .sessionEnd, .inboxFetch, .feedUpdated, .streamDisplayed,
    .variablesUpdated, .templatePresented, .templateDismissed, .actionRefused, .register,
    .identify, .custom, .purchase, .optOut, .providerRequest, .providerFailed, .providerFallback,
    .credentialRenewed, .providerMismatch, .routeChanged, .migrationStepped,
    .pushDropped, .campaignDue, .campaignDropped, .itemQuarantined, .contentDuplicated, .itemHeld,
    .outboxDropped, .experimentAssigned,
    .experimentExposed,
  ]

  /// What else vendors export of their messages.
  package static let exported: [Self] = ["send", "bounce", "abort", "foreground"]
}
