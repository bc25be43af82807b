import EngagementAdapterAPI
import EngagementAtomic
import EngagementAtomicTools
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementTesting
import EngagementVendors

extension Subjects {
  static func atomic() throws -> AdapterSubject {
    let configuration = try AtomicConfiguration(
      endpoint: "https://999-1.client-api.atomic.io", environmentID: "env-1",
      apiKey: Secret("canary-key"), instanceID: "7d0a1b66-0000-4000-8000-000000000001")
    var subject = AdapterSubject(
      "atomic", items: [atomicCards], adapter: { _ in AtomicAdapter(configuration) },
      server: { atomicServer(at: $0) },
      credential: { token(of: $0, serial: $1) })
    subject.credentialHeaders = ["x-atomic-sdk-api-key"]
    subject.pushes = [
      PushSample(
        [
          "aps": ["alert": ["title": "Rent due", "body": "Tomorrow"], "badge": 3],
          "atomic": [
            "source": "io.atomic", "cardInstanceId": "1f0c", "streamContainerId": "home",
            "detail": ["businessId": "ABCD1234"],
          ],
        ],
        meaning: [
          "vendor": "atomic", "title": "Rent due", "body": "Tomorrow", "badge": 3,
          "silent": false, "itemID": "1f0c", "containerID": "home",
          "detail": ["businessId": "ABCD1234"],
        ])
    ]
    subject.operations = [.pushContainers(["home"], notifications: nil)]
    subject.disguisedErrors = [
      DisguisedError(
        .cards(in: "home", matching: []), #"{"errors":[{"title":"no"}],"cardInstances":[]}"#,
        .invalidArgument)
    ]
    // The vendor's code for a request that took too long.
    subject.statusCodes = [408: .deadlineExceeded]
    subject.live = atomicLive
    subject.secrets = [configuration.apiKey]
    return subject
  }

  private static func atomicServer(at now: Date) -> any VendorServer {
    guard var server = VendorRegistration.atomic.server?.init(seed: nil, at: now) else {
      return MemoryServer(seed: nil, at: now)
    }
    // Only the subject's key is good.
    try? server.configure(["apiKey": "canary-key"], at: now)
    return server
  }

  /// A token of the user that is valid for a day. The server does not check its signature.
  private static func token(of user: UserID, serial: Int) -> Secret {
    let end = Int64(TestClock().now.timeIntervalSince1970) + 86_400
    let claims: JSON = [
      "sub": .string(user.rawValue), "exp": .integer(end), "jti": .integer(Int64(serial)),
    ]
    let parts = [#"{"alg":"RS512","typ":"JWT"}"#, claims.text].map {
      Base64URL.text(of: Array($0.utf8))
    }
    return Secret("\(parts[0]).\(parts[1]).c2ln")
  }

  private static var atomicCards: ItemSamples {
    ItemSamples(
      Feed(.cards, in: "home"), idMember: "id",
      fullest: """
        {"instance":{"id":"1f0c","eventName":"rent-due","lifecycleId":"rent-2026-11",\
        "status":"active"},\
        "actions":{"dismiss":{"swipe":true},"snooze":{"overflow":true},"voteUp":{"overflow":true}},\
        "metadata":{"priority":2,"receivedAt":"2026-10-01T09:00:00.125Z",\
        "updatedAt":"2026-10-02T09:00:00.250Z","lastCardActiveTime":"2026-10-03T09:00:00.500Z",\
        "expiryDate":"2026-11-01T09:00:00.750Z","payloadMetadata":{"campaign":"autumn"}},\
        "runtimeVariables":[{"name":"dueIn","type":"string","defaultValue":"soon"}],\
        "defaultView":{"nodes":[\
        {"type":"headline","attributes":{"text":"Rent is due"}},\
        {"type":"text","attributes":{"text":"For water and heat"}}]},"subviews":{}}
        """,
      meaning: [
        "provider": "subject", "vendor": "atomic", "id": "1f0c", "kind": "composed",
        "title": "Rent is due", "text": "For water and heat", "opensInWebView": false,
        "createdAt": "2026-10-01T09:00:00.125Z", "updatedAt": "2026-10-02T09:00:00.250Z",
        "activeAt": "2026-10-03T09:00:00.500Z", "expiresAt": "2026-11-01T09:00:00.750Z",
        "priority": 2, "pinned": false, "dismissible": true, "viewed": false,
        "clicked": false, "dismissed": false, "test": false, "status": "active",
        "eventName": "rent-due", "lifecycleID": "rent-2026-11",
        "metadata": ["campaign": "autumn"],
        "actions": [
          "dismiss": true, "snooze": true, "voteUp": true, "voteDown": false,
          "swipe": ["dismiss"], "menu": ["snooze", "voteUp"],
        ],
        "components": [
          ["type": "headline", "text": "Rent is due"],
          ["type": "text", "text": "For water and heat"],
        ],
        "runtimeVariables": [["name": "dueIn", "default": "soon"]],
      ],
      actions: [
        .dismiss, .submit(button: "pay", values: ["amount": 5]), .snooze(seconds: 60),
        .vote(useful: false, reason: .other, message: "why"), .impression, .click,
      ]
    ) { id, place in
      card(id, active: "2026-09-30T08:\(SampleText.descending(place)).000Z")
    }
  }

  private static func card(_ id: String, active: String) -> String {
    #"{"instance":{"id":\#(SampleText.quoted(id)),"status":"active"},"#
      + #""actions":{"dismiss":{"swipe":true},"snooze":{"overflow":true}},"#
      + #""metadata":{"priority":5,"lastCardActiveTime":"\#(active)"},"#
      + #""defaultView":{"nodes":[{"type":"headline","attributes":{"text":"Card"}}]}}"#
  }

  // MARK: The socket

  private static var atomicLive: LiveSamples {
    LiveSamples(
      Feed(.cards, in: "home"), greeting: [#"{"messageType":"auth-success"}"#],
      updates: [
        replace(["a", "b"]),
        update(#"{"type":"remove-card","data":{"subscriptionId":"s1","cardInstanceId":"a"}}"#),
        replace(["b", "c"]),
      ],
      full: replace(["b", "d"]), ids: ["b", "d"], heartbeat: .seconds(30))
  }

  private static func replace(_ ids: [String]) -> String {
    let cards = ids.map { #"{"instance":{"id":"\#($0)"}}"# }.joined(separator: ",")
    return update(
      #"{"type":"replace-feed","data":{"subscriptionId":"s1","cardInstances":{"instances":[\#(cards)],"#
        + #""totalCards":\#(ids.count)}}}"#)
  }

  private static func update(_ updates: String) -> String {
    #"{"messageType":"update-cards","data":{"updates":[\#(updates)]}}"#
  }
}

extension JSON {
  fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
