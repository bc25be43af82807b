import AnswerProbe
import EngagementAdapterAPI
import FuzzDriver
import JSONOracle

// The first two bytes choose the operation and the status, the rest is the body.
private let probes = try Subject.all().map(Probe.init)
private let operations = Subject.operations
private var mutator = Mutator(seed: 1)
private let spoiled = (0..<500).map { index in
  [UInt8(index % 256), UInt8(index / 2 % 256)] + mutator.next()
}
private let sound = Corpus.samples.map(\.bytes) + ProbeSamples.live.map { Array($0.utf8) }

FuzzDriver.run(seeds: sound.map { [7, 0] + $0 } + spoiled) { bytes in
  guard bytes.count >= 2 else { return }
  let status = Probe.statuses[Int(bytes[0]) % Probe.statuses.count]
  let body = Array(bytes[2...])
  for probe in probes {
    let operation = operations[Int(bytes[1]) % operations.count]
    let finding =
      probe.answer(to: operation, status, body) ?? probe.push(body) ?? probe.socket(body)
    // A trap reports a finding to libFuzzer, which then keeps the input.
    if let finding { fatalError("\(probe.subject): \(operation.verb): \(finding)") }
  }
}
