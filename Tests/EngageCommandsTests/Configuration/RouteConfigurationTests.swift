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
