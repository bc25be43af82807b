import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel

/// An adapter whose every word is given by the test.
struct FakeAdapter: EngagementAdapter {
  var vendor: Vendor { "fake" }
  var capabilities = AdapterCapabilities(
    abilities: [
      .inbox: .request, .person: .request, .settings: .request, .device(.register): .request,
      .device(.renew): .request, .associate: .request, .events: .request, .metrics: .request,
    ], hosts: ["fake.example"])
  var onStep: @Sendable (Operation, AdapterContext) throws(EngagementError) -> Step = {
    operation, _ in
    .send(HTTPRequest("GET", "https://fake.example/\(operation.verb)"))
  }
  var onAnswer: @Sendable (Operation, HTTPResponse) -> Answer = { _, response in
    response.status == 200 ? Answer() : .refused(.unavailable, "no")
  }

  func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step { try onStep(operation, context) }

  func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer { onAnswer(operation, response) }
}

/// What asks the fake vendor for the path.
func get(_ path: String) -> Step {
  .send(HTTPRequest("GET", "https://fake.example/\(path)"))
}
