import EngagementDocuments
import EngagementJSON
import EngagementKit
import EngagementModel

extension Command {
  /// `engage routes`.
  static let routes = [listRoutes, setRoute, resetRoute, returnRoute]

  fileprivate static let container = Option(
    "container", value: "NAME", "a container of cards that has a route of its own")
  fileprivate static let surface = Argument(
    name: "SURFACE", help: "cards, inbox, templates, push, person or events")

  private static let listRoutes = Command(
    name: ["routes", "list"], summary: "show which providers fill each surface",
    discussion: """
      A surface without a route goes to every provider that takes it, which may be none; "engage
      providers" says. FROM says where a route is from: engage.json, where cards and inbox that it does
      not name have the providers with such items, or "engage routes set", which holds until "engage
      routes reset". A provider is bridged where it shows cards as messages, or messages as cards.
      """,
    examples: [
      Example("engage routes", "the routes that hold now"),
      Example("engage routes --json", "for a program"),
    ], isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let rows = try await invocation.reading(configuration) { engagement in
        RouteRow.all(of: engagement, configured: configuration.routes)
      }
      var table = Table([
        .init("SURFACE"), .init("CONTAINER"), .init("ROUTE", isFlexible: true), .init("FROM"),
      ])
      for row in rows {
        table.add([
          Phrase(row.surface, .bold), Phrase(row.container ?? ""), Phrase(row.words),
          Phrase(row.origin),
        ])
        try invocation.console.object(row.object)
      }
      try invocation.console.table(table)
      return .done
    })

  private static let setRoute = Command(
    name: ["routes", "set"], summary: "fill a surface from other providers",
    discussion: """
      ROUTE is none, or a strategy with its providers: only=NAME, merge=NAME,NAME for cards, inbox
      and templates, firstReady=NAME,NAME for cards and inbox, mirror=NAME,NAME for push, person and
      events; or JSON as engage.json has it, such as for an experiment: {"split": {...}}.
      It holds at once and over restarts. Providers that join or leave the route of push are told
      of the token.
      """,
    arguments: [surface, Argument(name: "ROUTE", help: "none, STRATEGY=NAME[,NAME] or JSON")],
    options: [container],
    examples: [
      Example("engage routes set cards only=braze", "cards of one provider"),
      Example("engage routes set cards merge=braze,atomic", "cards of two"),
      Example("engage routes set push mirror=braze,vibes", "the push token to two"),
      Example("engage routes set cards none --container news", "nothing in one container"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let place = try RouteName(invocation, container)
      let route = try invocation.route(try invocation.argument(1), at: place, configuration)
      return try await invocation.delivering(configuration) { engagement in
        try await engagement.setRoute(route, for: place.surface, in: place.container)
        return try await invocation.tell(place, of: engagement)
      }
    })

  private static let resetRoute = Command(
    name: ["routes", "reset"], summary: "follow the route of engage.json again",
    arguments: [surface], options: [container],
    examples: [Example("engage routes reset cards", "the cards of engage.json")],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let place = try RouteName(invocation, container)
      return try await invocation.delivering(configuration) { engagement in
        try await engagement.resetRoute(for: place.surface, in: place.container)
        return try await invocation.tell(place, of: engagement)
      }
    })
}

extension Command {
  fileprivate static let returnRoute = Command(
    name: ["routes", "return"], summary: "ask the first choice of firstReady, and show it again",
    discussion: """
      A route with "return": "byHand" stays with the provider that took over until this command, and
      does not ask the first choice. If it fails again, or is not to be asked yet, an error says so and
      nothing changes.
      """,
    arguments: [surface], options: [container],
    examples: [Example("engage routes return cards", "cards of the first choice again")],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let place = try RouteName(invocation, container)
      return try await invocation.delivering(configuration) { engagement in
        try await engagement.returnToFirstChoice(of: place.surface, in: place.container)
        let name = place.container.map { "the container \($0)" } ?? place.surface.rawValue
        try invocation.console.line("The first choice of \(name) is shown now.")
        try invocation.console.object(["surface": .string(place.surface.rawValue)])
        return .done
      }
    })
}

/// The surface that a command line names, and its container.
private struct RouteName: Sendable {
  let surface: Engagement.Surface
  let container: Engagement.ContainerID?

  init(_ invocation: Invocation, _ option: Option) throws {
    surface = Engagement.Surface(rawValue: try invocation.argument())
    container = invocation.value(option).map(Engagement.ContainerID.init)
  }
}

extension Invocation {
  /// Says which route the place has now, and sends what vendors are told of the change.
  fileprivate func tell(
    _ place: RouteName, of engagement: Engagement
  ) async throws -> ExitStatus {
    let rows = RouteRow.all(of: engagement, configured: nil)
    let row = rows.first {
      $0.surface == place.surface.rawValue && $0.container == place.container?.rawValue
    }
    let name = place.container.map { "the container \($0)" } ?? place.surface.rawValue
    try console.line("The route of \(name) is \(row?.words ?? "that of cards") now.")
    if let row { try console.object(row.object) }
    try await tellVendors(of: engagement)
    if place.surface == .push { try await tellTokenHolders(of: engagement) }
    return .done
  }

  /// Says it if no provider of the route of pushes has the token for certain.
  private func tellTokenHolders(of engagement: Engagement) async throws {
    let states = try await engagement.pushStates()
    let holders = Set(states.filter(\.hasToken).map(\.provider))
    let led = engagement.routes.push?.providers
    guard !states.isEmpty, !holders.contains(where: { led?.contains($0) ?? true }) else { return }
    guard let led, !led.isEmpty, !holders.isEmpty else {
      console.note(
        """
        No provider has the push token for certain now; "engage push status" says what is known.
        """)
      return
    }
    let former = holders.sorted().map(\.rawValue).joined(separator: ", ")
    let next = led.map(\.rawValue).joined(separator: " or ")
    console.note(
      """
      \(former) \(holders.count == 1 ? "keeps" : "keep") the push token until \(next) has taken it.
      """)
  }

  /// Sends what vendors are told of another route, and says who has not been told yet.
  func tellVendors(of engagement: Engagement) async throws {
    let report = try await engagement.flush(within: .seconds(5))
    for (provider, counts) in report.providers.sorted(by: { $0.key < $1.key })
    where counts.pending > 0 {
      console.note("\(provider) has not been told yet: \(counts.pending) pending.")
    }
  }
}

/// One line of `engage routes`.
struct RouteRow {
  let surface: String
  var container: String?
  let route: Engagement.Route?
  /// Whether engage.json has another one.
  var isSet = false
  /// The providers of the route that show items of the other kind.
  private var bridged: [ProviderID] = []

  /// The surfaces in one order, then the containers.
  static func all(of engagement: Engagement, configured: Engagement.Routes?) -> [RouteRow] {
    let routes = engagement.routes
    var rows = [
      RouteRow("cards", routes.cards, configured?.cards),
      RouteRow("inbox", routes.inbox, configured?.inbox),
      RouteRow("templates", routes.templates, configured?.templates),
      RouteRow("push", routes.push, configured?.push),
      RouteRow("person", routes.person, configured?.person),
      RouteRow("events", routes.events, configured?.events),
    ]
    for (container, route) in routes.containers.sorted(by: { $0.key < $1.key }) {
      var row = RouteRow("cards", route, configured?.containers[container])
      row.container = container.rawValue
      rows.append(row)
    }
    for index in rows.indices {
      let surface = Engagement.Surface(rawValue: rows[index].surface)
      rows[index].bridged = (rows[index].route?.providers ?? []).filter {
        (try? engagement.isBridged($0, on: surface)) ?? false
      }
    }
    return rows
  }

  private init(_ surface: String, _ route: Engagement.Route?, _ configured: Engagement.Route?) {
    self.surface = surface
    self.route = route
    isSet = route != configured
  }

  var words: String {
    guard let route else { return "every provider that takes it" }
    return words(of: route) + bridgedWords(route)
  }

  private func bridgedWords(_ route: Engagement.Route) -> String {
    guard !bridged.isEmpty else { return "" }
    guard bridged.count < route.providers.count else { return " (bridged)" }
    return " (bridged: \(bridged.map(\.rawValue).joined(separator: ", ")))"
  }

  private func words(of route: Engagement.Route) -> String {
    if case .split(let split) = route { return split.words }
    return switch route.json {
    case .string(let word): word
    case .object(let object) where object.count == 1:
      object.members.map { "\($0.key) \($0.value.providerNames)" }.joined()
    case let json: String(decoding: json.encoded(), as: UTF8.self)
    }
  }

  var origin: String { isSet ? "engage routes set" : route == nil ? "default" : "engage.json" }

  var object: JSONObject {
    var object: JSONObject = ["surface": .string(surface)]
    object["container"] = container.map(JSON.string)
    object["route"] = route?.json ?? .null
    object["isSet"] = .bool(isSet)
    if !bridged.isEmpty { object["bridged"] = .array(bridged.map { .string($0.rawValue) }) }
    return object
  }
}

extension JSON {
  /// The names in a route that names providers alone, and else its JSON.
  fileprivate var providerNames: String {
    if let string { return string }
    let names = array?.compactMap(\.string) ?? []
    guard !names.isEmpty, names.count == array?.count else {
      return String(decoding: encoded(), as: UTF8.self)
    }
    return names.joined(separator: ", ")
  }
}

extension Invocation {
  /// The route of a command line. What is wrong with it is told as of `engage.json`.
  fileprivate func route(
    _ words: String, at place: RouteName, _ configuration: EngageConfiguration
  ) throws(EngagementError) -> Engagement.Route {
    let json = try JSON(routeWords: words, of: place.surface)
    let folder = CommandContext.folder(of: configuration.file)
    let reader = ConfigurationReader(
      file: configuration.file,
      secrets: SecretReader(environment: context.environment, folder: folder), vendors: vendors)
    // A place that has no route is refused when the route is set.
    guard Engagement.strategies(of: place.surface) != nil,
      place.container == nil || place.surface == .cards,
      let route = try reader.route(
        json, of: place.surface.rawValue, in: place.container?.rawValue, configuration.providers)
    else { return try Engagement.Route(json: json) }
    return route
  }
}

extension JSON {
  /// A route of the command line: `none`, `merge=a,b` or JSON.
  fileprivate init(
    routeWords words: String, of surface: Engagement.Surface
  ) throws(EngagementError) {
    guard words != "none" else {
      self = "none"
      return
    }
    if words.hasPrefix("{") {
      do throws(EngagementError) {
        self = try Document.parse(Array(words.utf8))
      } catch {
        throw EngagementError(.invalidArgument, "ROUTE begins with {. \(error.message)")
      }
      return
    }
    let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw EngagementError(
        .invalidArgument,
        "ROUTE is \"\(words)\"; write none, only=NAME, \(Self.strategies(of: surface))or JSON.")
    }
    let names = parts[1].split(separator: ",").map { JSON.string(String($0)) }
    let strategy = String(parts[0])
    self = .object(
      JSONObject(uniqueMembers: [
        .init(strategy, strategy == "only" ? .string(String(parts[1])) : .array(names))
      ]))
  }

  /// What a route of several providers may be, with a comma.
  private static func strategies(of surface: Engagement.Surface) -> String {
    let known = Engagement.strategies(of: surface) ?? []
    return known.map { "\($0)=NAME,NAME" }.joined(separator: ", ") + (known.isEmpty ? "" : " ")
  }
}
