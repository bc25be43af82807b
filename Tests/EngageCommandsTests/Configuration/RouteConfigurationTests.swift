import EngagementKit
import EngagementModel
import EngagementVendors
import Testing

@testable import EngageCommands

@Suite struct RouteConfigurationTests {
  @Test("X9: a route with a fail-over is read with its times, and what is absent is standard")
  func failOver() throws {
    let document = """
      {"providers": {
        "braze": {"vendor": "braze", "endpoint": "https://a.example", "apiKey": "k"},
        "other": {"vendor": "braze", "endpoint": "https://b.example", "apiKey": "k"}},
       "routes": {"cards": {"firstReady": ["other", "braze"], "within": "2m",
                            "return": {"afterRest": "1h"}}}}
      """
    let secrets = SecretReader(environment: { _ in nil }, folder: "/")
    let configuration = try ConfigurationReader(
      file: "engage.json", secrets: secrets, vendors: .shipped
    )
    .read(Array(document.utf8))
    #expect(
      configuration.routes.cards
        == .firstReady(
          ["other", "braze"],
          try .init(
            failures: 3, within: .seconds(120), coolDown: .seconds(30),
            returning: .afterRest(.seconds(3_600)))))
  }

  private static func routes(_ routes: String) throws -> Engagement.Routes {
    let document = """
      {"providers": {
        "braze": {"vendor": "braze", "endpoint": "https://a.example", "apiKey": "k"},
        "other": {"vendor": "braze", "endpoint": "https://b.example", "apiKey": "k"}},
       "routes": \(routes)}
      """
    let secrets = SecretReader(environment: { _ in nil }, folder: "/")
    return try ConfigurationReader(file: "engage.json", secrets: secrets, vendors: .shipped)
      .read(Array(document.utf8)).routes
  }

  @Test("X9: a provider that was removed is named at each of its places in one error")
  func removed() {
    let error = #expect(throws: EngagementError.self) {
      try Self.routes(
        """
        {"cards": {"merge": ["braze", "gone"]}, "push": {"mirror": ["gone"]},
         "inbox": {"shadow": {"route": {"only": "gone"}, "candidates": ["braze"]}}}
        """)
    }
    let message = error?.message ?? ""
    for place in ["cards.merge[1]", "push.mirror[0]", "inbox.shadow.route.only"] {
      #expect(message.contains("\(place) names \"gone\""), "\(message)")
    }
  }

  @Test("X11: an experiment is read for each surface that can have one")
  func split() throws {
    let json = """
      {"split": {"experiment": "e", "version": 2, "otherwise": ["braze"],
        "arms": {"a": {"weight": 3, "providers": ["braze"]}, "b": {"providers": ["other", "braze"]},
                 "none": {"weight": 0, "providers": []}},
        "layer": {"name": "l", "slots": [0, 5000]}, "holdOut": {"name": "h", "share": 0.05}}}
      """
    let split = try Engagement.Split(
      "e", version: 2,
      arms: [
        .init("a", weight: 3, providers: ["braze"]), .init("b", providers: ["other", "braze"]),
        .init("none", weight: 0, providers: []),
      ], otherwise: ["braze"], layer: .init("l", slots: 0..<5_000),
      holdOut: .init("h", share: 0.05))
    let routes = try Self.routes(
      #"{"cards": \#(json), "push": \#(json), "containers": {"news": \#(json)}}"#)
    #expect(routes.cards == .split(split))
    #expect(routes.push == .split(split))
    #expect(routes.containers == ["news": .split(split)])
    #expect(
      split.words
        == "split e 2: a 75% braze; b 25% other+braze; none 0% none; slots 0 to 5000 of l; "
        + "h holds out 0.05; else braze")
  }

  @Test(
    "X11: an experiment that is wrong is refused with the field and the nearest name",
    arguments: [
      (
        #"{"experiment": "e", "arms": {"a": {"providers": ["braz"]}}}"#,
        #".arms.a.providers[0] names "braz", which is no provider; did you mean "braze"?"#
      ),
      (
        #"{"experiment": "e", "weights": 1, "arms": {"a": {"providers": []}}}"#,
        ".weights is not a known key"
      ),
      (
        #"{"experiment": "e", "arms": {"a": {"weigth": 2, "providers": []}}}"#,
        #".arms.a.weigth is not a known key; did you mean "weight"?"#
      ),
      (
        #"{"experiment": "e", "arms": {"a": {"weight": -1, "providers": []}}}"#,
        ".arms.a.weight is -1; weights are zero or more."
      ),
      (#"{"arms": {"a": {"providers": []}}}"#, ".experiment is no text."),
      (
        #"{"experiment": "e", "arms": {"a": {"providers": []}}, "holdOut": {"name": "h", "share": 1}}"#,
        ".holdOut.share is 1"
      ),
    ])
  func wrongSplit(json: String, message: String) throws {
    for surface in ["cards", "push"] {
      let error = #expect(throws: EngagementError.self) {
        try Self.routes(#"{"\#(surface)": {"split": \#(json)}}"#)
      }
      let found = error?.message ?? ""
      #expect(found.hasPrefix("engage.json: routes.\(surface).split" + message), "\(found)")
    }
  }

  @Test("X10: a shadow is read with the route that it is beside, and its faults name the place")
  func shadow() throws {
    func route(_ text: String) throws -> Engagement.Route {
      let document = """
        {"providers": {
          "braze": {"vendor": "braze", "endpoint": "https://a.example", "apiKey": "k"},
          "other": {"vendor": "braze", "endpoint": "https://b.example", "apiKey": "k"}},
         "routes": {"cards": {"shadow": \(text)}}}
        """
      let secrets = SecretReader(environment: { _ in nil }, folder: "/")
      return try ConfigurationReader(file: "engage.json", secrets: secrets, vendors: .shipped)
        .read(Array(document.utf8)).routes.cards
    }
    #expect(
      try route(#"{"route": {"only": "braze"}, "candidates": ["other"], "every": "30m"}"#)
        == .shadow(.only("braze"), .init(["other"], every: .seconds(1_800))))
    for (text, message) in [
      ("{}", "routes.cards needs route and candidates in shadow"),
      (#"{"route": {"only": "brace"}, "candidates": ["other"]}"#, "routes.cards.shadow.route.only"),
      (#"{"route": {"only": "braze"}, "candidates": ["othr"]}"#, "did you mean \"other\"?"),
      (#"{"route": {"only": "braze"}, "candidates": []}"#, "routes.cards.shadow.candidates"),
      (#"{"route": {"only": "braze"}, "candidates": ["other"], "evry": "1m"}"#, "evry"),
      (#"{"route": {"only": "braze"}, "candidates": ["other"], "every": "5s"}"#, "once a minute"),
    ] {
      let error = #expect(throws: EngagementError.self) { try route(text) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test("X2 X16: the routes of every surface and of containers are read")
  func everySurface() throws {
    let document = """
      {"providers": {
        "braze": {"vendor": "braze", "endpoint": "https://a.example", "apiKey": "k"},
        "other": {"vendor": "braze", "endpoint": "https://b.example", "apiKey": "k"}},
       "containers": {"news": {}},
       "routes": {"templates": "none", "push": {"mirror": ["braze", "other"]},
                  "person": {"only": "other"}, "events": {"mirror": ["other"]},
                  "containers": {"news": {"merge": ["other", "braze"]}}}}
      """
    let secrets = SecretReader(environment: { _ in nil }, folder: "/")
    let routes = try ConfigurationReader(
      file: "engage.json", secrets: secrets, vendors: .shipped
    )
    .read(Array(document.utf8)).routes
    #expect(routes.cards == .merge(["braze", "other"]))
    #expect(routes.templates == Engagement.Route.none)
    #expect(routes.push == .mirror(["braze", "other"]))
    #expect(routes.person == .only("other"))
    #expect(routes.events == .mirror(["other"]))
    #expect(routes.containers == ["news": .merge(["other", "braze"])])
  }
}
