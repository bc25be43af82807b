import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

// MARK: Actions

extension Breakage {
  static let actions: [Breakage] = [
    Breakage("actions.reach-the-vendor", "does not send a dismissal") {
      $0.step = { operation, _ in
        if case .act(.dismiss, _) = operation { .done([]) } else { nil }
      }
    },
    Breakage("actions.stable-retries", "gives an event another id each time") {
      $0.asked = { operation, context in
        guard case .events(let events) = operation else { return operation }
        return .events(events.map { $0.renamed("\($0.id)-\(context.attempt)") })
      }
    },
    Breakage("actions.refused-is-undone", "takes a refusal for success") {
      $0.answer = { operation, _, _, answer in
        if case .act = operation { Answer() } else { answer }
      }
    },
    Breakage("actions.credential-renewed-once", "never requests a new credential") {
      $0.answer = { _, response, _, answer in
        response.status == 401 ? .refused(.unauthenticated, "Refused.") : answer
      }
    },
  ]
}

// MARK: Chains and users

extension Breakage {
  static let chains: [Breakage] = [
    Breakage("chains.kept-over-failure", "keeps a device for one operation only", forgetful),
    Breakage("chains.one-device", "makes a device for each operation", forgetful),
    Breakage("users.nothing-of-the-former", "always sends requests for the first user") { adapter in
      let first = FirstUser()
      adapter.context = { context in
        var context = context
        context.user = first.of(context.user)
        return context
      }
    },
  ]

  /// Keeps the device under the key of the operation that needed it.
  private static let forgetful: @Sendable (inout BrokenAdapter) -> Void = { adapter in
    adapter.context = { context in
      var context = context
      let own = "device/\(context.key.next.text)"
      context.values[.installation, "device"] = context.values[.installation, own]
      return context
    }
    adapter.answer = { operation, _, context, answer in
      guard operation == .device(.register) else { return answer }
      return Answer(
        answer.changes.map { change in
          guard case .keep(let scope, "device", let value) = change else { return change }
          return .keep(scope, "device/\(context.key.text)", value)
        }, answer.verdict)
    }
  }

  // MARK: Pushes, conduct, live

  static let rest: [Breakage] = [
    Breakage("pushes.own", "refuses its own pushes") { $0.received = { _ in nil } },
    Breakage("pushes.foreign", "accepts the pushes of all senders") {
      $0.received = { $0 ?? Received(PushNotification(vendor: "memory")) }
    },
    {
      var subject = AdapterSubject.memory
      subject.transport = { transport in
        BrokenTransport(inner: transport) { error in
          error.code == .cancelled ? HTTPResponse(503) : nil
        }
      }
      return Breakage("conduct.cancellation", "treats a cancellation as a failure", subject)
    }(),
    Breakage("conduct.hundred-calls", "loses every fiftieth answer") { adapter in
      let count = CallCounter()
      adapter.answer = { _, _, _, answer in
        count.next() % 50 == 49 ? .refused(.internalFailure, "Lost.") : answer
      }
    },
    {
      var subject = AdapterSubject.memory
      subject.transport = { transport in
        BrokenTransport(inner: transport) { error in
          error.code == .cancelled ? HTTPResponse(400) : nil
        }
      }
      return Breakage("conduct.stop", "treats a stop as a refusal", subject)
    }(),
    Breakage("conduct.no-secret", "quotes the credential") {
      $0.answer = { _, response, context, answer in
        guard response.status == 403 else { return answer }
        return .refused(.permissionDenied, "Not with \(context.credential?.revealed ?? "none").")
      }
    },
    Breakage("live.converges", "adds a full state to the old items") {
      $0.conversation = { conversation in
        BrokenConversation(inner: conversation) { action in
          guard case .commit(let changes) = action else { return action }
          return .commit(
            changes.map { change in
              guard case .items(let feed, .replace, let items) = change else { return change }
              return .items(feed, .put, items)
            })
        }
      }
    },
    Breakage("live.dead-peer", "never gives up a silent peer") {
      $0.conversation = { conversation in
        BrokenConversation(inner: conversation) { action in
          if case .timer = action { nil } else { action }
        }
      }
    },
  ]
}

// MARK: Support

struct Stumble: Error {}

/// Counts up from 0.
final class CallCounter: Sendable {
  private let count = Locked(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count - 1
    }
  }
}

/// The first user whose context the adapter received.
final class FirstUser: Sendable {
  private let user = Locked<User?>(nil)

  func of(_ present: User) -> User {
    user.withLock { user in
      if user == nil { user = present }
      return user ?? present
    }
  }
}

extension Card {
  func with(_ change: (inout Card) -> Void) -> Card {
    var card = self
    change(&card)
    return card
  }
}

extension RawItem {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension EngagementEvent {
  func renamed(_ id: String) -> EngagementEvent {
    EngagementEvent(
      id: EventID(id), kind: kind, time: time, zoneOffset: zoneOffset, session: session,
      sequence: sequence, provider: provider, item: item, name: name, properties: properties)
  }
}

extension Answer {
  var items: [RawItem] {
    changes.flatMap { if case .items(_, _, let items) = $0 { items } else { [] as [RawItem] } }
  }

  func mappingItems(_ change: ([RawItem]) -> [RawItem]) -> Answer {
    Answer(
      changes.map { part in
        guard case .items(let feed, let mode, let items) = part else { return part }
        return .items(feed, mode, change(items))
      }, verdict)
  }
}

extension Verdict {
  var isMalformed: Bool {
    switch self {
    case .retry(let error), .refused(let error): error.code == .malformedResponse
    default: false
    }
  }
}
