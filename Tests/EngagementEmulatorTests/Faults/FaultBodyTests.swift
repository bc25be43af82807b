import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import Testing

@testable import EngagementEmulator

/// Every fault of a body strikes every kind of body.
@Suite struct FaultBodyTests {
  private static let kinds: [FaultKind] = [
    .truncateJSON, .byteOrderMark, .invalidUTF8, .wrongType, .missingField, .duplicateKey,
    .oversize, .gzipBomb,
  ]

  private static let bodies = [
    #"{"message":"success","n":1}"#, #"{"cards":[{"id":"a"}]}"#, "{}", "[]",
    #"[{"message_uid":"m-1","content":"c"}]"#, #"["a","b"]"#, #"[{}]"#, #""text""#, "12",
  ]

  @Test(
    "X18: each fault of a body changes the bytes of each kind of body", arguments: kinds, bodies)
  func strikes(kind: FaultKind, body: String) throws {
    var written: JSONObject = ["fault": .string(kind.name)]
    if kind == .oversize || kind == .gzipBomb { written["bytes"] = 1_000 }
    let script: JSON = ["faults": [.object(written)]]
    for salt in 0..<8 as Range<UInt64> {
      var fault = try #require(try EmulatorFaults(json: script).faults.first)
      fault.salt = salt
      let reply = VendorReply(
        200, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
      let request = VendorRequest(method: "GET", target: "/")
      let struck = AppliedFault(fault: fault, call: request, now: Stand.start).damaged(reply)
      #expect(struck.body != reply.body)
    }
  }

  @Test("a repeated key is repeated, and a list stays a list")
  func shapes() throws {
    let script: JSON = ["faults": [["fault": "duplicateKey"]]]
    let fault = try #require(try EmulatorFaults(json: script).faults.first)
    let request = VendorRequest(method: "GET", target: "/")
    for (body, struck) in [
      (#"{"a":1,"b":2}"#, #"{"a":1,"a":1,"b":2}"#), ("{}", #"{"again":true,"again":true}"#),
      (#"["x",{"a":1},{"a":2}]"#, #"["x",{"a":1,"a":1},{"a":2}]"#),
      ("[]", #"[{"again":true,"again":true}]"#),
    ] {
      let reply = VendorReply(200, headers: [], body: Array(body.utf8))
      let damaged = AppliedFault(fault: fault, call: request, now: Stand.start).damaged(reply)
      #expect(String(decoding: damaged.body, as: UTF8.self) == struck)
    }
  }
}
