import AnswerProbe
import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Foundation
import JSONOracle
import TestSupport
import Testing

private typealias Operation = EngagementAdapterAPI.Operation

@Suite struct AnyVendorFlowTests {
  private static let subjects = Result { try Subject.all() }

  private static let bodies: [[UInt8]] =
    [
      "", " ", "{", "[", "null", "true", "0", "\"\"", "{}", "[]", "[[]]", "[{}]", "[null]",
      "<html></html>", "\u{feff}{}", "{\"a\":1,\"a\":2}", "{\"cards\":{}}", "{\"cards\":[1]}",
      "{\"cards\":null}", "{\"data\":[]}", "{\"cardInstances\":[null]}",
      "{\"inbox_notifs\":[{}],\"inapp_notifs\":\"x\"}", "{\"device\":[],\"auth_token\":1}",
      "{\"config\":\"x\",\"auth_error\":[]}", "{\"errors\":[{\"title\":\"no\"}]}",
      String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ].map { Array($0.utf8) } + [
      [0], [0xff, 0xfe], [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
    ]

  @Test("flow 12: every adapter answers hostile bytes for each operation and each status")
  func hostileAnswers() throws {
    for subject in try Self.subjects.get() {
      let probe = Probe(subject)
      for operation in Subject.operations {
        for status in Probe.statuses {
          for body in Effort.some(of: Self.bodies) {
            let finding = probe.answer(to: operation, status, body)
            #expect(finding == nil, "\(subject) \(operation.verb) \(status): \(body)")
          }
        }
      }
      for body in Self.bodies {
        #expect(probe.push(body) == nil, "\(subject): \(body)")
        #expect(probe.socket(body) == nil, "\(subject): \(body)")
      }
    }
  }

  @Test("flow 12: every adapter answers randomly mutated bodies and bodies cut at any byte")
  func spoiledAnswers() throws {
    var mutator = Mutator(seed: 12)
    var bodies = (0..<Effort.share(of: 2000)).map { _ in mutator.next() }
    let sample = Corpus.samples[0].bytes.prefix(600)
    bodies += sample.indices.map { Array(sample[..<$0]) }
    let operations = Subject.operations
    for subject in try Self.subjects.get() {
      let probe = Probe(subject)
      for (index, body) in bodies.enumerated() {
        let operation = operations[index % operations.count]
        let finding =
          probe.answer(to: operation, Probe.statuses[index % 3], body) ?? probe.push(body)
          ?? probe.socket(body)
        #expect(finding == nil, "\(subject) \(operation.verb): \(body)")
      }
    }
  }

  @Test("flow 12: the bytes of a message reach a live channel that is open and authenticated")
  func liveProbe() throws {
    let live = try Self.subjects.get().filter(\.adapter.capabilities.isLive)
    #expect(live.map(\.description) == ["atomic"])
    let feed = try #require(Corpus.samples.first { $0.name == "Atomic's live feed" })
    for subject in live {
      let changes = Probe(subject).liveChanges(feed.bytes)
      let lists = changes.compactMap { change -> Int? in
        if case .items(_, _, let items) = change { items.count } else { nil }
      }
      #expect(!lists.isEmpty && lists.allSatisfy { $0 == 2 })
    }
  }

  @Test("C1 C2 C9: definitions and campaigns of any bytes keep their rules")
  func spoiledCampaigns() throws {
    let probe = try CampaignProbe()
    let samples = ProbeSamples.triggers.map { Array($0.utf8) }
    #expect(samples.map(probe.eligible) == [["2", "3", "1"], []])
    var random = SeededGenerator(seed: 13)
    for sample in ProbeSamples.definitions.map({ Array($0.utf8) }) + samples {
      for _ in 0..<Effort.share(of: 2_000) {
        var bytes = sample
        for _ in 0..<(1 + random.below(3)) {
          bytes[random.below(bytes.count)] = random.pick(Array(" \"{}[],:.0919aetr".utf8))
        }
        let finding = probe.definitions(bytes) ?? probe.triggers(bytes)
        #expect(finding == nil, "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  @Test("flow 12: an undeclared operation is unsupported and sends no request")
  func undeclared() async throws {
    for subject in try Self.subjects.get() {
      let scene = try await AppScene(
        ProviderID(subject.description), subject.adapter,
        ScriptedTransport { _ in HTTPResponse(200) })
      try await scene.signIn("u-1")
      scene.transport.forget()
      let context = try await scene.engagement.context(of: scene.provider)
      let undeclared = Subject.operations.filter {
        subject.adapter.capabilities.ability($0.verb).travel == .unsupported
      }
      #expect(!undeclared.isEmpty)
      for operation in undeclared {
        guard case .refused(let error) = await scene.execute(operation) else {
          Issue.record("\(subject) \(operation.verb) was not refused")
          continue
        }
        #expect(error.code == .unsupported, "\(subject) \(operation.verb)")
        #expect(throws: EngagementError.self, "\(subject) \(operation.verb)") {
          try subject.adapter.step(for: operation, in: context)
        }
      }
      #expect(scene.transport.requests.isEmpty)
      try await scene.end()
    }
  }

  @Test("the same operation in the same context gives the same request, byte for byte")
  func deterministic() throws {
    let context = AdapterContext(
      user: "u-1", device: .test, credential: Secret("jwt"), now: TestClock().now,
      key: OperationKey(1, 2))
    for subject in try Self.subjects.get() {
      for operation in Subject.operations {
        let (first, second) = (
          try? subject.adapter.step(for: operation, in: context),
          try? subject.adapter.step(for: operation, in: context)
        )
        if case .send(let request)? = first, case .send(let again)? = second {
          #expect(request == again, "\(subject) \(operation.verb)")
        } else {
          #expect((first == nil) == (second == nil), "\(subject) \(operation.verb)")
        }
      }
    }
  }
}
