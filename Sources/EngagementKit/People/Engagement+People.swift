import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Who the vendor says the user is, as the last refresh told; nil for nobody known.
  public func person(at provider: ProviderID) async throws(EngagementError) -> Person? {
    _ = try house.provider(provider)
    let partition = house.occupancy.present.partition
    return try await house.store.memory(of: provider, in: partition).person
  }

  /// Changes what every vendor that takes it knows of the user; accepted when it returns.
  ///
  /// Throws `invalidArgument` where there is nothing to change, `unsupported` where no vendor
  /// takes it.
  @discardableResult public func update(
    _ update: PersonUpdate
  ) async throws(EngagementError) -> Receipt {
    guard !update.isEmpty else {
      throw EngagementError(.invalidArgument, "The update changes nothing; set a field of it.")
    }
    return try await accept(.updatePerson(update))
  }

  /// Ties this installation to the application's id of a person at every vendor that knows such
  /// ids; accepted when it returns.
  @discardableResult public func associate(
    _ person: UserID
  ) async throws(EngagementError) -> Receipt {
    guard !person.text.isEmpty else {
      throw EngagementError(.invalidArgument, "The id of a person is empty.")
    }
    return try await accept(.associate(person))
  }

  /// Tells every vendor that keeps a record of this installation what it is like now: the versions,
  /// time zone and place that the application's `device` gives. Accepted when it returns.
  ///
  /// Throws `unsupported` where no vendor keeps one.
  @discardableResult public func updateDevice() async throws(EngagementError) -> Receipt {
    try await accept(.device(.update))
  }

  private func accept(_ operation: Operation) async throws(EngagementError) -> Receipt {
    let occupant = house.occupancy.present
    return try await accept(try await offers(of: operation, to: occupant), as: occupant)
  }

  // MARK: For every provider that can

  /// A row for each provider whose vendor can do it.
  ///
  /// Throws `consentDenied` where the user does not allow it and `unsupported` where none can.
  func offers(
    of operation: Operation, to occupant: Occupant
  ) async throws(EngagementError) -> [Intent.Parcel] {
    let consent = try await house.store.consent(of: occupant.partition)
    guard ConsentRule(consent: consent).allowsSending(operation.verb) else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: operation.verb.text)
    }
    let able = house.providers.filter {
      $0.adapter.capabilities.ability(operation.verb).travel == .request
    }
    guard !able.isEmpty else {
      throw EngagementError(
        .unsupported, "None of the providers supports this.", operation: operation.verb.text)
    }
    return able.map { Intent.Parcel(to: $0.id, .operation(operation), key: house.key()) }
  }

  /// Accepts rows, all or none.
  func accept(
    _ parcels: [Intent.Parcel], as occupant: Occupant
  ) async throws(EngagementError) -> Receipt {
    try await house.accept([Intent(parcels: parcels)], in: occupant.partition)
    return courier.receipt(for: parcels.map(\.key), isNew: true)
  }
}
