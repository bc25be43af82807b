import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@Suite struct AdapterContextTests {
  private func context(key: OperationKey = OperationKey(1, 2)) -> AdapterContext {
    AdapterContext(
      user: "u-1",
      device: Device(
        id: "d", appID: "a", system: "Linux", systemVersion: "12", locale: "en_US",
        timeZone: "Etc/UTC"), now: Date(timeIntervalSince1970: 0), key: key)
  }

  @Test("ids follow from the key, so every attempt has the same ids")
  func stableIDs() {
    #expect((0..<8).map(context().id) == (0..<8).map(context().id))
  }

  @Test("ids are UUIDs that differ within a key and between keys")
  func distinctIDs() {
    var seen: Set<String> = []
    for key in 0..<50 as Range<UInt64> {
      for index in 0..<50 { seen.insert(OperationKey(key, ~key).id(index)) }
    }
    #expect(seen.count == 2500)
    #expect(seen.allSatisfy { UUID(uuidString: $0) != nil && $0 == $0.lowercased() })
    #expect(seen.allSatisfy { $0.dropFirst(14).first == "8" })
  }

  @Test("a value belongs to its scope, and nil removes it")
  func scopes() {
    var values = ScopedValues<String>()
    values[.installation, "device"] = "d"
    values[.user, "device"] = "u"
    #expect(values[.installation, "device"] == "d" && values[.user, "device"] == "u")
    values[.user, "device"] = nil
    #expect(values[.user, "device"] == nil && values[.installation, "device"] == "d")
  }

  @Test("keys that differ only in Unicode normalization are distinct")
  func byteKeys() {
    var values = ScopedValues<String>()
    values[.user, "etag.caf\u{e9}"] = "1"
    values[.user, "etag.cafe\u{301}"] = "2"
    #expect(values.all(.user).map(\.value) == ["2", "1"])
  }

  @Test("contexts have the same credentials until a secret or the credential changes")
  func credentials() {
    let before = context()
    var after = before
    after.values[.user, "watermark"] = "1"
    #expect(after.hasSameCredentials(as: before))
    after.secrets[.installation, "token"] = Secret("t")
    #expect(!after.hasSameCredentials(as: before))
    after = before
    after.credential = Secret("jwt")
    #expect(!after.hasSameCredentials(as: before))
  }

  @Test("a context prints none of its secrets")
  func redacted() {
    var context = context()
    context.credential = Secret("canary-1")
    context.secrets[.user, "token"] = Secret("canary-2")
    context.push[.production] = PushRegistration(token: Secret("canary-3"), service: .apns)
    var text = String(describing: context) + String(reflecting: context)
    dump(context, to: &text)
    #expect(!text.contains("canary"))
  }
}
