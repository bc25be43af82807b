import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// Files of cards. The call is ours: Atomic documents none.
@Suite struct AtomicUploadTests {
  private typealias Operation = EngagementAdapterAPI.Operation

  private static func upload(to container: ContainerID? = "BqWL1sT") -> Operation {
    .upload(
      .init(
        fileName: "my receipt.jpg", contentType: "image/jpeg", digest: "00", byteCount: 4,
        bucket: "b-1", item: ItemReference(ItemID("atomic", "c-1"), on: .cards, in: container),
        submission: OperationKey(3, 4)))
  }

  private static var context: AdapterContext {
    var context = AdapterContext(
      user: "u-1", device: .test, credential: AtomicSamples.token(), now: TestClock().now,
      key: OperationKey(1, 2))
    context.file = [0xff, 0xd8, 0xff, 0xe0]
    return context
  }

  @Test("A32: a file is sent as it is, under the id that its submission has, and names its card")
  func request() throws {
    guard
      case .send(let request) = try AtomicSamples.adapter().step(
        for: Self.upload(), in: Self.context)
    else {
      Issue.record("It is no request.")
      return
    }
    let id = OperationKey(1, 2).id(0)
    #expect(
      "\(request.method) \(request.url)"
        == "PUT https://999-1.client-api.atomic.io/env-1/upload/\(id)?streamContainerId=BqWL1sT"
        + "&cardInstanceId=c-1&filename=my%20receipt.jpg&bucketId=b-1")
    #expect(request.headers.first("Content-Type") == "image/jpeg")
    #expect(request.body == [0xff, 0xd8, 0xff, 0xe0])
  }

  @Test("A32: a file for a card without a container is refused before any request")
  func homeless() throws {
    let error = #expect(throws: EngagementError.self) {
      try AtomicSamples.adapter().step(for: Self.upload(to: nil), in: Self.context)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(
    "A32: only an answer that says ok takes a file",
    arguments: [
      (200, #"{"ok":true}"#, true), (200, "{}", false), (200, "", false),
      (200, #"{"ok":false}"#, false), (200, #"{"ok":true,"errors":[{"title":"no"}]}"#, false),
      (200, "<html>", false), (413, #"{"errors":[]}"#, false), (500, "", false),
    ])
  func answer(status: Int, body: String, isTaken: Bool) throws {
    let answer = try AtomicSamples.adapter().answer(
      to: Self.upload(), from: HTTPResponse(status, body: Array(body.utf8)), in: Self.context)
    #expect((answer.verdict == .done) == isTaken, "\(answer.verdict)")
  }
}
