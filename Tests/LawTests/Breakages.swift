import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation

/// An adapter that breaks a law, with the fault in that adapter.
struct Breakage: Sendable, CustomStringConvertible {
  let law: String
  let what: String
  let subject: AdapterSubject

  var description: String { "\(law): \(what)" }

  init(_ law: String, _ what: String, _ subject: AdapterSubject) {
    self.law = law
    self.what = what
    self.subject = subject
  }

  init(
    _ law: String, _ what: String, _ change: @escaping @Sendable (inout BrokenAdapter) -> Void
  ) {
    self.init(law, what, .broken(change))
  }

  static let all = abilities + mapping + items + campaigns + failures + actions + chains + rest
}

// MARK: Abilities

extension Breakage {
  private static let abilities: [Breakage] = [
    Breakage("abilities.declared-works", "declares an ability that it lacks") {
      $0.capabilities.abilities[.metrics] = .idempotentRequest
    },
    Breakage("abilities.undeclared-is-refused", "sends an undeclared operation") {
      $0.step = { operation, _ in
        operation == .metrics ? .send(HTTPRequest(.get, "https://memory.example/v1/x")) : nil
      }
    },
    Breakage("abilities.prerequisites-end", "requests its settings each time") { adapter in
      adapter.step = { operation, _ in
        operation == .inbox ? .first(.settings) : nil
      }
    },
    Breakage("mapping.same-bytes", "counts its requests") { adapter in
      let count = CallCounter()
      adapter.stepped = { _, step in
        guard case .send(var request) = step else { return step }
        request.url += "?n=\(count.next())"
        return .send(request)
      }
    },
  ]
}

// MARK: Mapping

extension Breakage {
  private static let mapping: [Breakage] = [
    Breakage("mapping.fullest-item", "omits a field") {
      $0.card = { _, card in card.with { $0.linkText = nil } }
    },
    Breakage("mapping.unknown-fields", "fails on an unknown field") {
      $0.card = { item, card in
        guard !item.text.contains("never_heard_of") else { throw Stumble() }
        return card
      }
    },
    Breakage("mapping.unknown-kinds", "treats an unknown kind as a fault") {
      $0.cardError = { EngagementError(.malformedResponse, $0.message) }
    },
    Breakage("mapping.hostile-text", "normalises texts") {
      $0.card = { _, card in
        card.with { $0.title = $0.title?.precomposedStringWithCanonicalMapping }
      }
    },
    Breakage("mapping.nul", "drops NULs") {
      $0.item = { item in
        let text = item.text.replacingOccurrences(of: "\\u0000", with: "")
        return RawItem(index: item.index, bytes: Array(text.utf8)[...])
      }
    },
    Breakage("mapping.long-text", "cuts long texts") {
      $0.card = { _, card in card.with { $0.text = $0.text.map { String($0.prefix(1_000)) } } }
    },
    Breakage("mapping.times", "rounds times to seconds") {
      $0.card = { _, card in
        card.with { card in
          card.createdAt = card.createdAt.map {
            Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down))
          }
        }
      }
    },
    Breakage("mapping.surroundings", "reads lists depending on the locale") {
      $0.answer = { _, _, context, answer in
        context.device.locale == "ar_EG" ? Answer([], answer.verdict) : answer
      }
    },
  ]
}

// MARK: Items

extension Breakage {
  private static let items: [Breakage] = [
    Breakage("items.one-bad-costs-one", "fails a list for one item") {
      $0.answer = { _, _, _, answer in
        let isBad = answer.items.contains { $0.fault != nil }
        return isBad ? .refused(.malformedResponse, "An item is broken.") : answer
      }
    },
    Breakage("items.order", "reverses lists") {
      $0.answer = { _, _, _, answer in answer.mappingItems { $0.reversed() } }
    },
    Breakage("items.ids", "normalises ids") {
      $0.card = { _, card in
        card.with { $0.id.value = $0.id.value.precomposedStringWithCanonicalMapping }
      }
    },
    Breakage("items.duplicates", "makes the id from the place") {
      $0.card = { item, card in card.with { $0.id.value += item.index == 2 ? "-2" : "" } }
    },
  ]
}

// MARK: Failures

extension Breakage {
  private static let failures: [Breakage] = [
    Breakage("failures.malformed", "treats a malformed list as an empty one") {
      $0.answer = { operation, _, _, answer in
        guard operation == .inbox, answer.verdict.isMalformed else { return answer }
        return Answer([.items(.inbox, .replace(.nothing), [])])
      }
    },
    Breakage("failures.disguised", "reads only the status") {
      $0.answer = { operation, response, _, answer in
        operation == .person && response.status == 200 ? Answer() : answer
      }
    },
    Breakage("failures.statuses", "has one code for all statuses") {
      $0.answer = { _, response, _, answer in
        response.status < 400 ? answer : .refused(.internalFailure, "It failed.")
      }
    },
    Breakage("failures.retry-after", "does not read Retry-After") {
      $0.answer = { _, _, _, answer in
        guard case .retry(var error) = answer.verdict else { return answer }
        error.retryAfter = nil
        return Answer(answer.changes, .retry(error))
      }
    },
    {
      var subject = AdapterSubject.memory
      subject.transport = { transport in
        BrokenTransport(inner: transport) { _ in .json(200, #"{"messages":[],"cards":[]}"#) }
      }
      return Breakage("failures.dead-transport", "treats a missing answer as an empty one", subject)
    }(),
    Breakage("failures.any-bytes", "answers only every second time") { adapter in
      let count = CallCounter()
      adapter.answer = { _, _, _, answer in
        count.next().isMultiple(of: 2) ? answer : Answer([.unchanged(.inbox)], .done)
      }
    },
  ]
}
