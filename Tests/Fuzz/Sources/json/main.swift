import FuzzDriver
import JSONOracle

var mutator = Mutator(seed: 1)
let spoiled = (0..<500).map { _ in mutator.next() }
let oracle = Oracle()

FuzzDriver.run(seeds: Corpus.samples.map(\.bytes) + spoiled) { bytes in
  do throws(Disagreement) {
    _ = try oracle.compare(bytes)
  } catch {
    // A trap reports a finding to libFuzzer, which then keeps the input.
    fatalError("\(error): '\(Oracle.printable(oracle.smallest(bytes)))'")
  }
  Misuse.callInAnyOrder(bytes)
  Misuse.trust(bytes)
}
