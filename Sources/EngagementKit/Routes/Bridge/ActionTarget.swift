import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// What an action on a shown item is to the item's vendor: an action on the item's own kind, in the
/// vendor's own words.
struct ActionTarget: Hashable, Sendable {
  /// The surface of the item's own kind.
  var surface: Surface
  /// The vendor's word.
  var action: ItemAction
  /// What the user did, in the words of the surface that shows the item.
  var performed: ItemAction
  /// The surface that shows the item.
  var shownOn: Surface

  /// An action on an item that is shown as what it is.
  init(_ action: ItemAction, on surface: Surface) {
    self.surface = surface
    self.action = action
    performed = action
    shownOn = surface
  }

  /// An action on an item that is shown on the counterpart of its own surface; nil if the vendor has no
  /// word for it.
  fileprivate init?(
    _ performed: ItemAction, bridgedTo own: RoutedSurface, from shown: RoutedSurface,
    at capabilities: AdapterCapabilities, _ now: Date
  ) {
    let word = performed.words(for: own, at: now).first {
      capabilities.supports($0, on: own.surface)
    }
    guard let word else { return nil }
    self.init(word, on: own.surface)
    self.performed = performed
    shownOn = shown.surface
  }

  /// Whether the item is shown as one of the other kind.
  var isBridged: Bool { surface != shownOn }

  /// Whether the action only says that the user has seen the item, which counts once.
  var saysSeen: Bool {
    switch action {
    case .impression, .read: true
    case .click, .open, .dismiss, .submit, .snooze, .vote, .expire, .delete: false
    }
  }
}

extension Provider {
  /// Where to look for an item on which the user acts, and what the action is there.
  ///
  /// Throws `unsupported` if the vendor has no such action.
  ///
  /// - Parameter surface: The surface that shows the item; nil for the surfaces on which the routes show
  ///   the provider.
  func targets(
    of action: ItemAction, on surface: Surface?, _ plans: RoutePlans, at now: Date
  ) throws(EngagementError) -> [ActionTarget] {
    let targets =
      if let surface {
        self.targets(of: action, on: surface, at: now)
      } else {
        self.targets(of: action, plans, at: now)
      }
    let capabilities = adapter.capabilities
    guard !targets.contains(where: { capabilities.supports($0.action, on: $0.surface) }) else {
      return targets
    }
    throw unsupported(action, on: surface)
  }

  func unsupported(_ action: ItemAction, on surface: Surface?) -> EngagementError {
    EngagementError(
      .unsupported, "\(id) does not support this.", provider: id,
      operation: Operation.Verb.act(action.name, on: surface ?? .cards).rawValue)
  }

  /// What the action is to the vendor of another copy of the content; nil if it has no word for it.
  func target(
    of done: ActionTarget, onCopyOn surface: Surface, at now: Date
  ) -> ActionTarget? {
    guard surface != done.shownOn, let own = RoutedSurface(rawValue: surface.rawValue),
      let shown = own.counterpart, shown.surface == done.shownOn
    else { return ActionTarget(done.performed, on: surface) }
    return ActionTarget(done.performed, bridgedTo: own, from: shown, at: adapter.capabilities, now)
  }

  /// What the action is to the vendor of an item that the surface shows; nil if it has no word for it.
  func target(of action: ItemAction, shownOn surface: Surface, at now: Date) -> ActionTarget? {
    targets(of: action, on: surface, at: now).first
  }

  private func targets(
    of action: ItemAction, on surface: Surface, at now: Date
  ) -> [ActionTarget] {
    let capabilities = adapter.capabilities
    guard let shown = RoutedSurface(rawValue: surface.rawValue),
      shown.isBridged(to: capabilities), let own = shown.counterpart
    else { return [ActionTarget(action, on: surface)] }
    let target = ActionTarget(action, bridgedTo: own, from: shown, at: capabilities, now)
    return target.map { [$0] } ?? []
  }

  /// An item that is shown as both kinds is acted on as what it is, as far as its vendor has the word.
  private func targets(
    of action: ItemAction, _ plans: RoutePlans, at now: Date
  ) -> [ActionTarget] {
    let capabilities = adapter.capabilities
    let bridged = [RoutedSurface.cards, .inbox].first { $0.isBridged(to: capabilities) }
    guard let bridged, let own = bridged.counterpart else {
      return [Surface.cards, .inbox].map { ActionTarget(action, on: $0) }
    }
    let native = ActionTarget(action, on: own.surface)
    guard plans.shows(id, on: bridged),
      let target = ActionTarget(action, bridgedTo: own, from: bridged, at: capabilities, now)
    else { return [native] }
    let isNative =
      plans.shows(id, on: own) && capabilities.supports(action, on: own.surface)
    return isNative ? [native] : [target]
  }
}

extension RoutePlans {
  /// Whether a route of the surface shows items of the provider.
  func shows(_ provider: ProviderID, on surface: RoutedSurface) -> Bool {
    surface == .cards ? showsCards(of: provider) : self[surface]?.shows(provider) == true
  }
}

extension AdapterCapabilities {
  /// Whether the vendor has a word for the dismissal of a message that is shown as a card.
  var canDismissBridgedMessages: Bool {
    ItemAction.dismiss.wordsForMessage.contains { supports($0, on: .inbox) }
  }

  fileprivate func supports(_ action: ItemAction, on surface: Surface) -> Bool {
    ability(.act(action.name, on: surface)).travel != .unsupported
  }
}

extension ItemAction {
  /// What the action is to an item of this kind that is shown as one of the other kind, the nearest
  /// first; empty if it has no counterpart.
  ///
  /// A card that was viewed is as a message that was read, also for content keys.
  fileprivate func words(for own: RoutedSurface, at now: Date) -> [ItemAction] {
    own == .inbox ? wordsForMessage : wordsForCard(at: now)
  }

  fileprivate var wordsForMessage: [ItemAction] {
    switch self {
    case .impression: [.read, .impression]
    case .click: [.open, .click]
    case .dismiss: [.dismiss, .expire(at: nil), .delete]
    case .open, .read, .submit, .snooze, .vote, .expire, .delete: [self]
    }
  }

  private func wordsForCard(at now: Date) -> [ItemAction] {
    switch self {
    case .read: [.impression]
    case .open: [.click]
    case .delete: [.dismiss]
    case .expire(let date): date.map { $0 <= now } ?? true ? [.dismiss] : []
    case .impression, .click, .dismiss, .submit, .snooze, .vote: [self]
    }
  }
}

extension KitDependencies {
  /// The intent of an action on an item in the cache, which the event names.
  ///
  /// The ledger has what the user did in the words of the surface that shows the item, so that reports
  /// count it alike for all vendors. The vendor is told in its own word, which is subject to the consent
  /// too: without it the effect is kept on this device.
  func intent(
    for target: ActionTarget, at provider: Provider, recordedBy event: EngagementEvent,
    under policy: ConsentPolicy
  ) throws(EngagementError) -> Intent {
    var (event, told) = (event, event)
    event.kind = target.performed.eventKind
    event.properties = target.performed.eventProperties
    told.kind = target.action.eventKind
    told.properties = target.action.eventProperties
    var intent = try intent(for: target.action, at: provider, recordedBy: told)
    guard target.isBridged else { return intent }
    intent.isForUnseen = target.saysSeen
    if !policy.allows(told.kind) {
      intent.deliveries = []
    } else if told.kind != event.kind {
      event.properties[EngagementEvent.vendorKindName] = .string(told.kind.rawValue)
    }
    intent.event = event
    return intent
  }

  /// The intent that tells the vendor of another copy of the same action; nil if it has no word for it. The
  /// user acted once, so the event is not recorded.
  func propagatedIntent(
    of done: ActionTarget, to copy: Engagement.ContentCopy, toldBy event: EngagementEvent,
    under policy: ConsentPolicy
  ) throws(EngagementError) -> Intent? {
    let provider = copy.provider
    guard let target = provider.target(of: done, onCopyOn: copy.surface, at: event.time) else {
      return nil
    }
    do throws(EngagementError) {
      var intent = try intent(for: target, at: provider, recordedBy: event, under: policy)
      intent.event = nil
      intent.isPropagated = true
      return intent
    } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }
}
