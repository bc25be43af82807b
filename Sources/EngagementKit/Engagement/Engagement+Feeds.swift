import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  // MARK: Snapshots

  /// The cards that a container shows now, from memory.
  public func cards(in container: ContainerID, options: CardOptions = .standard) -> CardFeed {
    var feed = feedPublisher.cards(in: container, options: options)
    if options.variables != nil { feed.cards = cardVariables.filledWithKnown(feed.cards) }
    return feed
  }

  /// How many cards a container shows now.
  public func cardCount(in container: ContainerID) -> CardCount { cards(in: container).count }

  /// The messages that the inbox shows now, from memory.
  public var inbox: InboxFeed { feedPublisher.inbox() }

  /// The current user's card with this id, also a control card; nil if there is none.
  public func card(_ id: ItemID) -> Card? { feedPublisher.card(id) }

  /// The current user's message with this id; nil if there is none.
  public func message(_ id: ItemID) -> InboxMessage? { feedPublisher.message(id) }

  // MARK: Runtime variables

  /// Sets who gives values to the runtime variables of cards, for feeds with `CardOptions.variables`.
  ///
  /// The source is asked once for each card that has variables: when the card comes and when it changes.
  /// All feeds share the answer. One that comes after everyone's time was up is not used.
  public func setCardVariables(_ source: CardVariableSource?) {
    cardVariables.setSource(source)
    feedPublisher.repeatCards()
  }

  /// Asks for the values of all runtime variables again.
  public func refreshCardVariables() {
    cardVariables.forget()
    feedPublisher.repeatCards()
  }

  // MARK: Streams

  /// The cards of a container: the current feed first, then a feed after each change.
  ///
  /// A successful refresh that changes no card gives a feed too, with a new `refreshDate(of:)`.
  /// When another user signs in, that user's feeds follow. The stream ends when the user signs out
  /// and when the engagement is closed.
  public func cardUpdates(
    in container: ContainerID, options: CardOptions = .standard
  ) -> FeedUpdates<CardFeed> {
    var updates = feedPublisher.cardUpdates(
      in: container, matching: options.filters, every: options.interval
    ) { $0.feed(with: options) }
    if let variables = options.variables {
      updates.complete = { [cardVariables] feed in
        var feed = feed
        feed.cards = await cardVariables.filled(feed.cards, variables)
        return feed
      }
    }
    return updates
  }

  /// How many cards a container shows: the current count first, then one after each change.
  public func cardCountUpdates(
    in container: ContainerID, options: CardOptions = .standard
  ) -> FeedUpdates<CardCount> {
    feedPublisher.cardUpdates(
      in: container, matching: options.filters, every: options.interval
    ) { $0.feed(with: options).count }
  }

  /// The messages of the inbox: the current feed first, then a feed after each change.
  public var inboxUpdates: FeedUpdates<InboxFeed> { feedPublisher.inboxUpdates() }
}
