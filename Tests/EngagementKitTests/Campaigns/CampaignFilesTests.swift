import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("files of campaigns") struct CampaignFilesTests {
  private static let picture = "https://files.example/a.png"
  /// The first bytes of a PNG, and a few more.
  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]

  /// A stage whose template has a picture, and whose network answers for it.
  private func stage(
    hosts: [String] = ["files.example"], at place: Stage.Place? = nil,
    answer: @escaping @Sendable () -> HTTPResponse
  ) async throws -> CampaignStage {
    try await CampaignStage(
      at: place, presentations: .init(fileHosts: hosts, withoutScene: true),
      files: { $0.url == Self.picture ? answer() : nil },
      define: { presenter in
        [
          .template(
            try Template.template("offer").string("title", default: "").file("picture"),
            shownBy: presenter)
        ]
      })
  }

  private static func image(_ status: Int = 200, _ bytes: [UInt8] = png) -> HTTPResponse {
    var response = HTTPResponse(status, body: bytes)
    try? response.headers.append("Content-Type", "image/png")
    return response
  }

  private func campaign(_ id: String, on event: String? = nil) -> Campaign {
    .due(id, on: event) { $0.arguments = ["picture": .string(Self.picture)] }
  }

  @Test("C8: a file is there before the template is shown, and is kept for the next campaign")
  func fetched() async throws {
    let stage = try await stage { Self.image() }
    try await stage.deliver(campaign("c-1"), campaign("c-2"))
    await stage.settle()
    let path = try #require(stage.presenter["c-1"]?.values.file("picture"))
    #expect(try Stage.bytes(at: path) == Self.png)
    stage.presenter["c-1"]?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1", "show offer c-2"])
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.count == 1)
    try await stage.stage.end()
  }

  @Test(
    "C8: one file that cannot be had skips the campaign with an event, and the next is shown",
    arguments: [(404, ["files.example"]), (200, []), (200, ["*.example.com"])])
  func skipped(_ status: Int, _ hosts: [String]) async throws {
    let stage = try await stage(hosts: hosts) { Self.image(status) }
    try await stage.deliver(campaign("c-1"), .due("c-2"))
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-2"])
    #expect(try await stage.story().contains("campaign.dropped c-1 file"))
    try await stage.stage.end()
  }

  /// A stage whose picture comes when the gate opens, or never for a request that is cancelled.
  private func slowStage(_ gate: Gate) async throws -> CampaignStage {
    try await CampaignStage(
      presentations: .init(fileHosts: ["files.example"], withoutScene: true),
      files: { request in
        guard request.url == Self.picture else { return nil }
        await withTaskCancellationHandler {
          await gate.pass()
        } onCancel: {
          gate.open()
        }
        return Self.image(Task.isCancelled ? 503 : 200)
      },
      define: { presenter in
        [
          .template(
            try Template.template("offer").string("title", default: "").file("picture"),
            shownBy: presenter)
        ]
      })
  }

  @Test("C8: a campaign with a slow file lets the next one be shown, and waits for the next time")
  func slow() async throws {
    let gate = Gate()
    let stage = try await slowStage(gate)
    try await stage.deliver(campaign("c-1"), .due("c-2"))
    let isDone = Locked<Bool?>(nil)
    let presenting = Task {
      let result = try? await stage.engagement.presentDueTemplates(within: .seconds(36_000))
      isDone.withLock { $0 = result ?? true }
    }
    await gate.isHolding(1)
    while stage.presenter.lines.isEmpty {
      stage.stage.clock.advance(by: .milliseconds(500))
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(stage.presenter.lines == ["show offer c-2"])
    stage.presenter["c-2"]?.dismissed()
    while try await stage.queued() != ["c-1"] { await Task.yield() }
    while isDone.withLock({ $0 == nil }) {
      stage.stage.clock.advance(by: .seconds(600))
      try await Task.sleep(for: .milliseconds(1))
    }
    await presenting.value
    #expect(isDone.withLock(\.self) == false)
    #expect(try await stage.queued() == ["c-1"])
    try await stage.stage.end()
  }

  @Test("C8: slow files of campaigns that are not due hold a program up for some seconds alone")
  func slowPrefetch() async throws {
    let gate = Gate()
    let stage = try await slowStage(gate)
    try await stage.list(campaign("c-1", on: "paid"))
    let isDone = Locked<Bool?>(nil)
    let presenting = Task {
      let result = try? await stage.engagement.presentDueTemplates(within: .seconds(36_000))
      isDone.withLock { $0 = result ?? false }
    }
    await gate.isHolding(1)
    let start = stage.stage.clock.uptime
    while isDone.withLock({ $0 == nil }) {
      stage.stage.clock.advance(by: .milliseconds(500))
      try await Task.sleep(for: .milliseconds(1))
    }
    await presenting.value
    #expect(isDone.withLock(\.self) == true, "nothing was due")
    #expect(stage.stage.clock.uptime - start < .seconds(36_000))
    try await stage.stage.end()
  }

  @Test("C8: the files of a list are fetched when it arrives, and looked at again before showing")
  func prefetched() async throws {
    let stage = try await stage { Self.image() }
    try await stage.list(campaign("c-1", on: "paid"))
    await stage.settle()
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.count == 1)
    #expect(stage.presenter.lines.isEmpty)
    try await stage.engagement.track("paid")
    await stage.settle()
    #expect(stage.presenter["c-1"]?.values.file("picture") != nil)
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.count == 1)
    try await stage.stage.end()
  }

  @Test(
    "C8: while nothing is presented, no file is fetched; the next turn that may present does it")
  func suspended() async throws {
    let stage = try await stage { Self.image() }
    stage.engagement.setPresentationMode(.suspended)
    try await stage.list(campaign("c-1", on: "paid"))
    await stage.settle()
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.isEmpty)
    stage.engagement.setPresentationMode(.running)
    await stage.settle()
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.count == 1)
    try await stage.stage.end()
  }

  @Test("C8: a file that cannot be had is told once, with campaign and host, and asked for later")
  func toldOnce() async throws {
    let stage = try await stage { Self.image(404) }
    for _ in 0..<3 {
      try await stage.list(campaign("c-1", on: "paid"))
      await stage.settle()
    }
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.count == 1)
    let lines = stage.stage.lines.all.map(\.message).filter { $0.contains("A file") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("campaign c-1") == true)
    #expect(lines.first?.contains("files.example") == true)
    #expect(lines.first?.contains("check the URL") == true)
    stage.stage.clock.advance(by: .seconds(601))
    try await stage.list(campaign("c-1", on: "paid"))
    await stage.settle()
    #expect(stage.stage.transport.requests.filter { $0.url == Self.picture }.count == 2)
    try await stage.stage.end()
  }

  @Test("C8: a new process removes old files, also where every file of the list is there")
  func cleanedAtStart() async throws {
    let place = Stage.Place()
    let old = "https://files.example/old.png"
    let define: (NotingPresenter) throws -> [Engagement.PresentedTemplate] = { presenter in
      [.template(try Template.template("offer").file("picture"), shownBy: presenter)]
    }
    func start() async throws -> CampaignStage {
      try await CampaignStage(
        at: place, presentations: .init(fileHosts: ["files.example"], withoutScene: true),
        files: {
          [Self.picture, old].contains($0.url)
            ? Self.image(200, Self.png + Array($0.url.utf8)) : nil
        },
        define: define)
    }
    var stage = try await start()
    try await stage.list(
      campaign("c-1", on: "paid"),
      .due("c-2", on: "paid") { $0.arguments = ["picture": .string(old)] })
    await stage.settle()
    let objects = "\(place.path).files/objects"
    #expect(try FileManager.default.contentsOfDirectory(atPath: objects).count == 2)
    place.clock.advance(by: .seconds(8 * 86_400))
    try await stage.list(campaign("c-1", on: "paid"))
    await stage.settle()
    try await stage.stage.end()
    place.clock.advance(by: .seconds(7 * 86_400))
    stage = try await start()
    await stage.settle()
    #expect(try FileManager.default.contentsOfDirectory(atPath: objects).count == 1)
    try await stage.stage.end()
  }

  @Test("C8 X21: an erasure that cannot remove a file fails, and can be repeated")
  func failedErasure() async throws {
    let place = Stage.Place()
    let stage = try await stage(at: place) { Self.image() }
    try await stage.deliver(campaign("c-1"))
    await stage.settle()
    let path = try #require(stage.presenter["c-1"]?.values.file("picture"))
    // A folder in the file's place cannot be removed as a file, whoever the user is.
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let user = User(UserID("u-1"))
    let error = await failure { _ = try await stage.engagement.eraseData(of: user) }
    #expect(error?.code == .storage)
    try FileManager.default.removeItem(atPath: path)
    _ = try await stage.engagement.eraseData(of: user)
    try await stage.stage.end()
  }

  @Test("C8 X21: an erasure removes the user's files")
  func erased() async throws {
    let place = Stage.Place()
    let stage = try await stage(at: place) { Self.image() }
    try await stage.deliver(campaign("c-1"))
    await stage.settle()
    let path = try #require(stage.presenter["c-1"]?.values.file("picture"))
    _ = try await stage.engagement.eraseData(of: User(UserID("u-1")))
    #expect(throws: (any Error).self) { try Stage.bytes(at: path) }
    try await stage.stage.end()
  }

  @Test("C8: a host that is none is refused by name when the engagement is opened")
  func badHost() async throws {
    let error = await failure {
      try await stage(hosts: ["https://files.example/"]) { Self.image() }
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("fileHosts") == true)
  }
}
