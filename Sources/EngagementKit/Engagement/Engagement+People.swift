import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Who the vendor says the user is, as of the last refresh; nil if the vendor has not said.
  public func person(at provider: ProviderID) async throws(EngagementError) -> Person? {
    try lifecycle.checkOpen()
    _ = try dependencies.provider(provider)
    let partition = dependencies.currentUser.userSession.partition
    return try await dependencies.store.memory(of: provider, in: partition).person
  }

  /// The fields of a person that the vendor takes; empty if it takes no updates.
  public func personFields(
    at provider: ProviderID
  ) throws(EngagementError) -> Set<PersonUpdate.Field> {
    let capabilities = try dependencies.provider(provider).adapter.capabilities
    return capabilities.ability(.updatePerson).travel == .request ? capabilities.personFields : []
  }

  /// Updates the user's profile at every vendor of the route of `person` that has one. Each vendor gets
  /// the fields that it takes. The update is accepted when this returns.
  ///
  /// Throws `invalidArgument` if the update changes nothing or a custom field is NaN or infinite,
  /// `unsupported` if no vendor takes any of its fields.
  @discardableResult public func updatePerson(
    _ update: PersonUpdate
  ) async throws(EngagementError) -> Receipt {
    guard !update.isEmpty else {
      throw EngagementError(.invalidArgument, "The update changes nothing; set a field of it.")
    }
    try update.custom.checkNumbers(for: Operation.Verb.updatePerson.rawValue)
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.userSession
    let offers = try await offers(of: .updatePerson(update), to: userSession)
    var deliveries: [Intent.Delivery] = []
    for offer in offers {
      let own = update.limited(to: try personFields(at: offer.provider))
      guard !own.isEmpty else { continue }
      deliveries.append(.init(to: offer.provider, .operation(.updatePerson(own)), key: offer.key))
    }
    guard !deliveries.isEmpty || offers.isEmpty else {
      let names = update.fields.map(\.rawValue).sorted().joined(separator: ", ")
      throw EngagementError(
        .unsupported, "No provider takes these fields of a person: \(names).",
        operation: Operation.Verb.updatePerson.rawValue)
    }
    let takers = Set(deliveries.map(\.provider))
    await sessions.touch(dependencies.providers.filter { takers.contains($0.id) })
    return try await accept(deliveries, as: userSession)
  }

  /// Associates this installation with the application's id of a person, at every vendor of the route
  /// of `person` that supports it. The operation is accepted when this returns.
  @discardableResult public func associate(
    _ person: UserID
  ) async throws(EngagementError) -> Receipt {
    guard !person.rawValue.isEmpty else {
      throw EngagementError(.invalidArgument, "The id of a person is empty.")
    }
    return try await accept(.associate(person), recordedBy: dependencies.event(.identify))
  }

  /// Registers this installation at every vendor that keeps a record of installations. The kit does so
  /// by itself when a call needs it. The operation is accepted when this returns.
  ///
  /// Throws `unsupported` if no vendor keeps such a record.
  @discardableResult public func registerDevice() async throws(EngagementError) -> Receipt {
    try await accept(.device(.register))
  }

  /// Unregisters this installation at every vendor that keeps a record of it, also if no user has signed
  /// in. A later call that needs a registered installation registers it anew. The operation is accepted
  /// when this returns.
  ///
  /// Throws `unsupported` if no vendor keeps such a record.
  @discardableResult public func unregisterDevice() async throws(EngagementError) -> Receipt {
    try await accept(.device(.unregister))
  }

  /// Asks every vendor that gives installations credentials for new ones. The kit does so by itself
  /// when a vendor refuses them. The operation is accepted when this returns.
  ///
  /// Throws `unsupported` if no vendor gives such credentials.
  @discardableResult public func renewDeviceCredentials() async throws(EngagementError) -> Receipt {
    try await accept(.device(.renew))
  }

  /// Sends the current values of `device`, such as versions and time zone, to every vendor that
  /// keeps a record of the installation. The operation is accepted when this returns.
  ///
  /// Throws `unsupported` if no vendor keeps such a record.
  @discardableResult public func updateDevice() async throws(EngagementError) -> Receipt {
    try await accept(.device(.update))
  }

  private func accept(
    _ operation: Operation, recordedBy event: EngagementEvent? = nil
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.userSession
    return try await accept(
      try await offers(of: operation, to: userSession), recordedBy: event, as: userSession)
  }

  // MARK: Operations for several providers

  /// A row for each provider whose vendor supports the operation and that its route leads to; none
  /// if the route leads nowhere.
  ///
  /// Throws `consentDenied` if the user does not allow it, `unsupported` if no vendor of the route has
  /// it, and `signedOut` if those that have it know signed-in users only.
  ///
  /// - Parameters:
  ///   - canWait: Whether such vendors are told anyway when a user signs in.
  ///   - holders: Vendors that are told wherever the route leads. It may then lead to none that has it.
  ///   - plans: Where the routes lead; nil: as this process follows them.
  func offers(
    of operation: Operation, to userSession: UserSession, canWait: Bool = false,
    and holders: Set<ProviderID>? = nil, by plans: RoutePlans? = nil
  ) async throws(EngagementError) -> [Intent.Delivery] {
    let consent = try await dependencies.store.consent(of: userSession.partition)
    guard ConsentPolicy(consent: consent).allowsSending(operation.verb) else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: operation.verb.rawValue)
    }
    let able = dependencies.providers.filter {
      $0.adapter.capabilities.ability(operation.verb).travel == .request
    }
    guard !able.isEmpty else {
      throw EngagementError(
        .unsupported, "None of the providers supports this.", operation: operation.verb.rawValue)
    }
    var told = able
    let plans = plans ?? feedPublisher.plans
    if let holders {
      told = able.filter {
        holders.contains($0.id) || plans.lead(to: $0.id, telling: operation.verb)
      }
    } else if let surface = RoutedSurface(tellingOf: operation.verb) {
      told = try plans.providers(
        of: surface, among: able, operation: operation.verb.rawValue)
    }
    let ready = told.filter { $0.serves(userSession.user) }
    guard canWait || !ready.isEmpty || told.isEmpty else {
      throw .needsUser(for: operation.verb.rawValue)
    }
    return ready.map { Intent.Delivery(to: $0.id, .operation(operation), key: dependencies.key()) }
  }

  /// Accepts rows, all or none, with the event that records them.
  func accept(
    _ deliveries: [Intent.Delivery], recordedBy event: EngagementEvent? = nil,
    as userSession: UserSession
  ) async throws(EngagementError) -> Receipt {
    try await dependencies.acceptWithReceipt(in: userSession.partition) {
      (_, _) throws(EngagementError) in [Intent(event: event, deliveries: deliveries)]
    }
  }
}
