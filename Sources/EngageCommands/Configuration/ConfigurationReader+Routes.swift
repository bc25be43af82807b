import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  /// The routes, or for a surface that is not named: every provider that has it.
  func routes(
    _ field: ConfigurationField?, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Routes {
    let members =
      try field?.members(
        among: ["cards", "inbox", "templates", "push", "person", "events", "containers"]) ?? [:]
    var routes = Engagement.Routes(
      cards: try route(members["cards"], .cards, providers),
      inbox: try route(members["inbox"], .inbox, providers),
      templates: try written(members["templates"], providers),
      push: try written(members["push"], providers),
      person: try written(members["person"], providers),
      events: try written(members["events"], providers))
    for (name, field) in try members["containers"]?.members() ?? [] {
      routes.containers[Engagement.ContainerID(name)] = try written(field, providers)
    }
    return routes
  }

  /// A route of a command line, read as the one of the place in the document; errors name that field.
  func route(
    _ json: JSON, of surface: String, in container: String?, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Route? {
    let member: JSONObject =
      if let container {
        JSONObject(uniqueMembers: [
          .init("containers", .object(JSONObject(uniqueMembers: [.init(container, json)])))
        ])
      } else {
        JSONObject(uniqueMembers: [.init(surface, json)])
      }
    do throws(EngagementError) {
      let routes = try routes(
        ConfigurationField(value: .object(member), path: "routes"), providers)
      return if let container {
        routes.containers[Engagement.ContainerID(container)]
      } else {
        routes.route(of: surface)
      }
    } catch {
      throw EngagementError(.invalidArgument, error.message)
    }
  }

  /// A route of any kind. Whether it suits its surface is checked when the cache is opened.
  private func written(
    _ field: ConfigurationField?, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Route? {
    guard let field else { return nil }
    if case .object(let object) = field.value, object["split"] != nil {
      return try split(field, providers)
    }
    return try read(field)
  }

  /// The route as it is written, of known keys.
  private func read(_ field: ConfigurationField) throws(EngagementError) -> Engagement.Route {
    do throws(EngagementError) {
      return try Engagement.Route(json: field.value)
    } catch {
      throw EngagementError(.invalidConfiguration, "\(field.path): \(error.message)")
    }
  }

  private func route(
    _ field: ConfigurationField?, _ verb: Operation.Verb, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Route {
    guard let field else { return Self.route(of: verb, to: providers) }
    if case .string("none") = field.value { return .none }
    guard case .object(let object) = field.value else {
      throw field.wrongType(
        "\"none\", {\"only\": PROVIDER}, {\"merge\": [PROVIDER, …]} or {\"firstReady\": [PROVIDER, …]}"
      )
    }
    if object["mirror"] != nil {
      throw field.fault(
        "is mirror, which routes.push, routes.person and routes.events can have: an action on an item "
          + "goes to its own vendor alone. Use merge")
    }
    let route: Engagement.Route
    if object["firstReady"] != nil {
      route = try firstReady(field, providers)
    } else if object["split"] != nil {
      route = try split(field, providers)
    } else if object["shadow"] != nil {
      route = try shadow(field, verb, providers)
    } else {
      let members = try field.members(among: ["only", "merge", "firstReady", "shadow", "split"])
      switch (members["only"], members["merge"]) {
      case (let only?, nil): route = .only(try provider(only, providers))
      case (nil, let merge?): route = .merge(try self.providers(merge, providers))
      default: throw field.fault("needs one of only, merge, firstReady, shadow and split")
      }
    }
    for id in route.providers { try check(verb, at: id, providers, field) }
    return route
  }

  /// A route with its fail-over, whose absent members are standard.
  private func firstReady(
    _ field: ConfigurationField, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Route {
    let members = try field.members(
      among: ["firstReady", "failures", "within", "coolDown", "return"])
    guard let named = members["firstReady"] else {
      throw field.fault("needs one of only, merge and firstReady")
    }
    _ = try self.providers(named, providers)
    do throws(EngagementError) {
      return try Engagement.Route(json: field.value)
    } catch {
      // The message begins with the name of the member.
      throw EngagementError(.invalidConfiguration, "\(field.path).\(error.message)")
    }
  }

  /// A route with candidates that are read beside it.
  private func shadow(
    _ field: ConfigurationField, _ verb: Operation.Verb, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> Engagement.Route {
    let members = try field.members(among: ["shadow"])["shadow"]?
      .members(among: ["route", "candidates", "every"])
    guard let shown = members?["route"], let candidates = members?["candidates"] else {
      throw field.fault("needs route and candidates in shadow")
    }
    _ = try route(shown, verb, providers)
    _ = try self.providers(candidates, providers)
    return try read(field)
  }

  private static func route(
    of verb: Operation.Verb, to providers: [ConfiguredProvider]
  ) -> Engagement.Route {
    let able = providers.filter { $0.adapter.capabilities.ability(verb).travel != .unsupported }
    if able.count > 1 { return .merge(able.map(\.id)) }
    return able.first.map { .only($0.id) } ?? .none
  }

  private func providers(
    _ field: ConfigurationField, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> [ProviderID] {
    var ids: [ProviderID] = []
    for element in try field.strings() {
      let id = try provider(element, providers)
      guard !ids.contains(id) else { throw element.fault("names \"\(id)\" once more") }
      ids.append(id)
    }
    guard !ids.isEmpty else { throw field.fault("is empty; name at least one provider") }
    return ids
  }

  /// The provider that a value names.
  func provider(
    _ field: ConfigurationField, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> ProviderID {
    ProviderID(try field.name("provider", among: providers.map(\.id.rawValue)))
  }

  private func check(
    _ verb: Operation.Verb, at id: ProviderID, _ providers: [ConfiguredProvider],
    _ field: ConfigurationField
  ) throws(EngagementError) {
    // Cards and messages can be shown as each other.
    guard let capabilities = providers.first(where: { $0.id == id })?.adapter.capabilities,
      [.cards, .inbox].allSatisfy({ capabilities.ability($0).travel == .unsupported })
    else { return }
    throw field.fault("names \"\(id)\", which has no \(verb)")
  }
}

extension Engagement.Routes {
  /// The route of a surface by its name; nil for one without a route.
  fileprivate func route(of surface: String) -> Engagement.Route? {
    let routes: [String: Engagement.Route?] = [
      "cards": cards, "inbox": inbox, "templates": templates, "push": push, "person": person,
      "events": events,
    ]
    return routes[surface] ?? nil
  }
}
