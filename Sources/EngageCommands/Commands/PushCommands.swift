import EngagementAdapterAPI
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage push`.
  static let push = [registerPush, unregisterPush, pushStatus, inspectPush]

  private static let service = Option(
    "service", value: "NAME", "the service that issued the token", choices: ["apns", "fcm"])
  private static let environment = Option(
    "environment", value: "NAME", "the token's environment (default production)",
    choices: PushEnvironment.allCases.map(\.rawValue))
  private static let tokenFile = Option(
    "token-file", value: "FILE", "a file with the token that only you can read",
    completion: .files)
  private static let tokenVariable = Option(
    "token-env", value: "NAME", "the variable with the token")

  private static let registerPush = Command(
    name: ["push", "register"], summary: "register this installation's push token",
    discussion: "The token is a secret: it comes from a file or the environment, never typed.",
    options: [service, tokenFile, tokenVariable, environment],
    examples: [
      Example("engage push register --service fcm --token-file token", "a token in a file"),
      Example("engage push register --service apns --token-env TOKEN", "a token in $TOKEN"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      guard let service = invocation.value(service) else {
        throw invocation.usage("Name the service of the token: --service apns or --service fcm.")
      }
      let registration = PushRegistration(
        token: try token(invocation), service: .init(service),
        environment: try pushEnvironment(invocation))
      return try await invocation.delivering(configuration) { engagement in
        let receipt = try await engagement.registerPush(registration)
        return try await invocation.conclude(
          receipt, of: engagement, "push register", ["registration": registration.json],
          among: configuration.providers.map(\.id), on: "push")
      }
    })

  private static func token(_ invocation: Invocation) throws -> Secret {
    let (file, variable) = (invocation.value(tokenFile), invocation.value(tokenVariable))
    let reader = SecretReader(
      environment: invocation.context.environment, folder: invocation.context.directory)
    switch (file, variable) {
    case (let file?, nil):
      return try reader.value(
        inFile: ConfigurationField(value: .string(file), path: "--token-file"))
    case (nil, let variable?):
      return try reader.value(
        inEnvironment: ConfigurationField(value: .string(variable), path: "--token-env"))
    default: throw invocation.usage("Give either --token-file or --token-env.")
    }
  }

  private static func pushEnvironment(_ invocation: Invocation) throws -> PushEnvironment {
    try invocation.value(environment).map { try invocation.choice($0, of: "--environment") }
      ?? .production
  }

  private static let unregisterPush = Command(
    name: ["push", "unregister"], summary: "unregister the push token",
    discussion: """
      The status is 1 if a vendor that takes tokens has no request to give them back. The token of the
      other environment stays; no pushes come once both are given back. Braze and Vibes have one token
      of a device: the one that was registered last.
      """,
    options: [environment],
    examples: [
      Example("engage push unregister", "give the production token back"),
      Example("engage push unregister --environment sandbox", "and the sandbox token"),
    ],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let environment = try pushEnvironment(invocation)
      return try await invocation.delivering(configuration) { engagement in
        let receipt = try await engagement.unregisterPush(environment)
        if receipt.providers.isEmpty, configuration.canUnregister(by: engagement.routes.push) {
          try invocation.console.line(
            """
            push unregister: no \(environment.rawValue) token is registered; there is nothing to give \
            back
            """)
          try invocation.console.object([
            "environment": .string(environment.rawValue), "outcome": "kept",
          ])
          return .done
        }
        let status = try await invocation.conclude(
          receipt, of: engagement, "push unregister",
          ["environment": .string(environment.rawValue)],
          among: configuration.providers.map(\.id), on: "push",
          kept: "not registered; there was nothing to give back")
        let deaf = configuration.providers.filter { $0.adapter.capabilities.keepsPushTokens }
        for provider in deaf {
          invocation.console.note("\(provider.id.rawValue) may go on pushing to this installation.")
        }
        return deaf.isEmpty ? status : .failed
      }
    })
}

extension EngageConfiguration {
  /// Whether a vendor that the route leads to has a request to give a token back.
  fileprivate func canUnregister(by route: Engagement.Route?) -> Bool {
    providers.contains { provider in
      provider.adapter.capabilities.ability(.unregisterPush).travel == .request
        && route?.providers.contains(provider.id) ?? true
    }
  }
}

extension AdapterCapabilities {
  /// Whether the vendor takes push tokens and has no request to give them back.
  fileprivate var keepsPushTokens: Bool {
    ability(.registerPush).travel != .unsupported && ability(.unregisterPush).travel == .unsupported
  }
}
