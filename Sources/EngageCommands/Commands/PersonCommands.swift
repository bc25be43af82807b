import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage person`.
  static let person = [showPerson, setPerson, associatePerson, erasePerson, exportPerson]

  // MARK: show

  private static let showPerson = Command(
    name: ["person", "show"], summary: "fetch the user's profile from each vendor",
    examples: [Example("engage person", "the person as each vendor knows them")],
    isInterruptible: true, isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let (outcome, people) = try await invocation.delivering(configuration) { engagement in
        let outcome = await engagement.refresh(.person)
        try Task.checkCancellation()
        var people: [Person] = []
        for provider in configuration.providers {
          if let person = try await engagement.person(at: provider.id) { people.append(person) }
        }
        return (outcome, people)
      }
      try print(people, on: invocation.console)
      return try conclude(outcome, people, of: invocation)
    })

  private static func print(_ people: [Person], on console: Console) throws(OutputError) {
    for (index, person) in people.enumerated() {
      if index > 0 { try console.line() }
      try console.fields(person.json.object ?? [:])
      try console.object(person.json.object ?? [:])
    }
  }

  private static func conclude(
    _ outcome: Engagement.RefreshOutcome, _ people: [Person], of invocation: Invocation
  ) throws -> ExitStatus {
    let console = invocation.console
    let asked = outcome.providers.filter { $0.value != .unsupported }
    guard !asked.isEmpty else {
      throw EngagementError(.unsupported, "No provider says who the user is.", operation: "person")
    }
    var status = ExitStatus.done
    for (provider, outcome) in asked.sorted(by: { $0.key < $1.key }) {
      switch outcome {
      case .stale(_, let error), .failed(let error):
        console.failure(invocation.credentials.explained(error, at: provider))
        status = .failed
      case .throttled: console.note("\(provider.rawValue) wants to be left alone for now.")
      case .fresh, .notModified, .unsupported: break
      }
    }
    if people.isEmpty, status == .done { console.note("No vendor knows the user.") }
    for (provider, outcome) in outcome.providers.sorted(by: { $0.key < $1.key })
    where outcome == .unsupported {
      console.note("\(provider.rawValue): not asked; it has no request for this.")
    }
    return status
  }

  // MARK: set and associate

  private static let setPerson = Command(
    name: ["person", "set"], summary: "change the user's data at the vendors",
    discussion: """
      Keys: name, email, phone, city, country, region, externalID, notifications (true or false)
      and custom.NAME for the application's own fields; custom.NAME=null removes one. Each vendor
      gets the fields that it takes; the others are named. The status is 1 if no vendor takes one
      of the fields.
      """,
    arguments: [Argument(name: "KEY=VALUE", help: "a field and its new value", repeats: true)],
    examples: [
      Example("engage person set email=ada@example.com city=Varna", "two fields"),
      Example("engage person set custom.tier=gold", "a field of your own"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let update = try PersonAssignments(invocation).update()
      return try await invocation.delivering(configuration) { engagement in
        let receipt = try await engagement.updatePerson(update)
        let names = update.fields.map(\.rawValue).sorted().joined(separator: ", ")
        let status = try await invocation.conclude(
          receipt, of: engagement, "person set", ["update": update.json],
          among: configuration.providers.map(\.id), on: "person", lacking: "field for \(names)")
        return try tellUntaken(of: update, by: receipt, in: engagement, invocation)
          ? .failed : status
      }
    })

  /// Names the fields that a provider of the receipt does not take; returns whether a field is
  /// taken by none.
  private static func tellUntaken(
    of update: PersonUpdate, by receipt: Engagement.Receipt, in engagement: Engagement,
    _ invocation: Invocation
  ) throws -> Bool {
    var left = update.fields
    for provider in receipt.providers.sorted() {
      let taken = try engagement.personFields(at: provider)
      left.subtract(taken)
      let others = update.fields.subtracting(taken).map(\.rawValue).sorted()
      guard !others.isEmpty else { continue }
      invocation.console.note(
        "\(provider.rawValue) has no field for \(others.joined(separator: ", ")).")
    }
    return !left.isEmpty
  }

  private static let associatePerson = Command(
    name: ["person", "associate"],
    summary: "associate this installation with the application's id of a person",
    discussion: """
      The vendors that know such ids then serve that person's inbox here. The user of engage stays
      signed in: to change the user, run "engage signin", which does this too.
      """,
    arguments: [Argument(name: "ID", help: "the application's id of the person")],
    examples: [Example("engage person associate u-1", "at every vendor that knows such ids")],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let id = try invocation.argument()
      return try await invocation.delivering(configuration) { engagement in
        let receipt = try await engagement.associate(UserID(id))
        return try await invocation.conclude(
          receipt, of: engagement, "person associate \(id)", ["person": .string(id)],
          among: configuration.providers.map(\.id), on: "person")
      }
    })
}

/// What is typed behind `person set`.
private struct PersonAssignments {
  private let invocation: Invocation
  private static let fields = [
    "name", "email", "phone", "city", "country", "region", "externalID", "notifications",
    "custom.NAME",
  ]

  init(_ invocation: Invocation) { self.invocation = invocation }

  func update() throws -> PersonUpdate {
    var update = PersonUpdate()
    for assignment in try invocation.assignments(from: 0) { try apply(assignment, to: &update) }
    return update
  }

  private func apply(_ assignment: Assignment, to update: inout PersonUpdate) throws {
    switch assignment.key {
    case "name": update.name = try text(assignment)
    case "email": update.email = try text(assignment)
    case "phone": update.phone = try text(assignment)
    case "city": update.city = try text(assignment)
    case "country": update.country = try text(assignment)
    case "region": update.region = try text(assignment)
    case "externalID": update.externalID = try text(assignment)
    case "notifications": update.notifications = try flag(assignment)
    case let key where key.hasPrefix("custom.") && key.utf8.count > 7:
      update.custom[String(key.dropFirst(7))] =
        assignment.text == "null" ? .null : assignment.value
    default:
      throw UsageError.unknown(
        assignment.key, "field of a person", among: Self.fields, of: invocation.command.title)
    }
  }

  /// A text that says something. Vendors would keep the word "null" as the person's email.
  private func text(_ assignment: Assignment) throws -> String {
    guard !assignment.text.isEmpty, assignment.text != "null" else {
      throw invocation.usage(
        "\(assignment.key) needs a value; only the application's own fields can be removed: custom.NAME=null."
      )
    }
    return assignment.text
  }

  private func flag(_ assignment: Assignment) throws -> Bool {
    guard let value = assignment.value.bool else {
      throw invocation.usage(
        "\(assignment.key) is true or false, not \"\(assignment.text)\".")
    }
    return value
  }
}
