import AnswerProbe
import FuzzDriver

// An even first byte has definitions of templates behind it, an odd one campaigns and an event.
private let probe = try CampaignProbe()
private let seeds =
  ProbeSamples.definitions.map { [0] + Array($0.utf8) }
  + ProbeSamples.triggers.map { [1] + Array($0.utf8) }

FuzzDriver.run(seeds: seeds) { bytes in
  guard let first = bytes.first else { return }
  let rest = Array(bytes.dropFirst())
  let finding = first.isMultiple(of: 2) ? probe.definitions(rest) : probe.triggers(rest)
  // A trap reports a finding to libFuzzer, which then keeps the input.
  if let finding { fatalError(finding) }
}
