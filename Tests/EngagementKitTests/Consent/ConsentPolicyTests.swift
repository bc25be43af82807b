import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite("consent rules")
struct ConsentPolicyTests {
  /// Groups of kinds, with the consents under which they are recorded and sent.
  private static let kinds: [([EngagementEvent.Kind], Set<Consent>)] = [
    ([.optOut], Set(Consent.allCases)),
    (
      [
        .click, .open, .read, .dismiss, .snooze, .submit, .vote, .expire, .upload, .register,
        .identify,
      ], [.unknown, .essential, .full]
    ),
    (
      [
        .providerRequest, .providerFailed, .providerFallback, .credentialRenewed, .providerMismatch,
        .routeChanged,
        .feedUpdated, .itemQuarantined, .contentDuplicated, .itemHeld, .outboxDropped,
      ], [.unknown, .essential, .full]
    ),
    (
      [
        .delivered, .displayed, .seen, .impression, .redirect, .subview, .video, .receive,
        .launch, .sessionStart, .sessionEnd, .inboxFetch, .streamDisplayed, .variablesUpdated,
        .templatePresented, .templateDismissed, .custom, .purchase,
        .experimentAssigned, .experimentExposed, "something.new",
      ], [.full]
    ),
  ]

  @Test("X20: each event kind is allowed under exactly the listed consents")
  func events() {
    for (kinds, allowed) in Self.kinds {
      for kind in kinds {
        for consent in Consent.allCases {
          #expect(
            ConsentPolicy(consent: consent).allows(kind) == allowed.contains(consent),
            "\(kind) under \(consent)")
        }
      }
    }
  }

  private static let verbs: [([Operation.Verb], Set<Consent>)] = [
    ([.optOut, .unregisterPush, .device(.unregister)], Set(Consent.allCases)),
    (
      [
        .settings, .cards, .inbox, .message, .person, .associate, .updatePerson, .metrics,
        .campaigns, .events, .templates, .upload, .registerPush,
        .device(.register), .act("dismiss", on: .cards), .act("read", on: .inbox),
        .vendor("callback"),
      ], [.unknown, .essential, .full]
    ),
    ([.act("impression", on: .cards), .act("impression", on: .inbox)], [.full]),
  ]

  @Test("X20: denied consent allows only withdrawals, and impressions need full consent")
  func operations() {
    for (verbs, allowed) in Self.verbs {
      for verb in verbs {
        for consent in Consent.allCases {
          #expect(
            ConsentPolicy(consent: consent).allowsSending(verb) == allowed.contains(consent),
            "\(verb) under \(consent)")
        }
      }
    }
  }

  @Test(
    "X20: a batch is sent only if consent allows each of its events", arguments: Consent.allCases)
  func batches(_ consent: Consent) {
    let click = EngagementEvent(id: "1", kind: .click, time: .distantPast)
    let impression = EngagementEvent(id: "2", kind: .impression, time: .distantPast)
    let rule = ConsentPolicy(consent: consent)
    #expect(rule.allowsSending(.events([click])) == (consent != .denied))
    #expect(rule.allowsSending(.events([click, impression])) == (consent == .full))
  }
}
