import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit
@testable import EngagementStore

/// Files that go before the submission that names them.
@Suite(.timeLimit(.minutes(20))) struct UploadTests {
  private static let card = ItemID("atomic", "a")
  private static let button = CardButton("Send", .submit(name: "send", values: ["from": "card"]))
  private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]
  private static let gif = Array("GIF89a....".utf8)
  private static let tiff: [UInt8] = [0x49, 0x49, 0x2a, 0, 9, 9]

  /// A vendor that takes files, and the card `a` with two file inputs.
  private static let vendor: PuppetAdapter = {
    var vendor = PuppetAdapter("atomic")
    vendor.capabilities.abilities[.upload] = .idempotentRequest
    vendor.capabilities.abilities[.act("submit", on: .cards)] = .request
    vendor.capabilities.abilities[.events] = .event
    vendor.capabilities.eventKinds = [.upload]
    vendor.shape = { card in
      card.components = [
        Component(.fileInput, ["name": "front", "bucket": "b-1"]),
        Component(.fileInput, ["name": "back", "contentTypes": ["image/png"]]),
        Component(.textInput, ["name": "note"]),
      ]
      card.buttons = [button]
    }
    vendor.onStep = { operation, context in
      guard case .upload = operation else { return nil }
      let url = "https://atomic.example/upload/\(context.id(0))"
      return .send(HTTPRequest(.put, url, body: context.file))
    }
    return vendor
  }()

  private func stage(
    at place: Stage.Place? = nil,
    answering answers: @escaping @Sendable (HTTPRequest) throws(EngagementError) -> HTTPResponse? =
      {
        _ in nil
      },
    converting: Options.ImageConverter? = nil
  ) async throws -> Stage {
    let transport = ScriptedTransport { request throws(EngagementError) in
      if let answer = try answers(request) { return answer }
      return request.line.hasPrefix("GET") ? .json(200, #"["a"]"#) : HTTPResponse(200)
    }
    let stage = try await Stage(
      [Provider("atomic", Self.vendor)], imageConverter: converting, at: place, transport)
    if stage.engagement.user.isAnonymous {
      try await stage.signIn("u-1", consent: .full)
      _ = await stage.engagement.refresh(.cards(in: "home"))
      stage.transport.forget()
    }
    return stage
  }

  private func shown(_ stage: Stage) throws -> Card? {
    stage.engagement.cards(in: "home").cards.first { $0.id == Self.card }
  }

  private func submit(
    _ files: [String: [UInt8]], to stage: Stage
  ) async throws -> Engagement.Receipt {
    let card = try #require(try shown(stage))
    var form = card.form()
    form["note"] = "hello"
    for (input, bytes) in files {
      try form.choose(CardFile(name: "\(input).jpg", bytes: bytes), for: input)
    }
    return try await stage.engagement.submit(form, by: Self.button, on: card)
  }

  private func uploads(_ stage: Stage) async throws -> [JSONObject] {
    try await stage.engagement.events().filter { $0.kind == .upload }.map(\.properties)
  }

  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7]

  // MARK: Files that arrive

  @Test("A32: files are sent before the submission, which has their ids, and each end is recorded")
  func arrive() async throws {
    let stage = try await stage()
    let receipt = try await submit(["front": Self.jpeg, "back": Self.png], to: stage)
    #expect(try shown(stage) == nil, "the submission hides the card at once")
    let rows = try await stage.waiting(for: "atomic", of: "u-1")
    guard case .operation(.act(.submit(_, let values), _))? = rows.last else {
      Issue.record("no submission waits: \(rows)")
      return
    }
    await stage.drain("atomic")
    #expect(receipt.outcomes == ["atomic": .delivered])
    let lines = stage.transport.requests.map(\.line).filter { !$0.hasSuffix("events") }
    let ids = ["front", "back"].map { values[$0]?.string ?? "" }
    #expect(lines == ids.map { "PUT /upload/\($0)" } + ["POST /cards.submit"])
    #expect(stage.transport.requests.compactMap(\.body) == [Self.jpeg, Self.png])
    #expect(values["note"] == "hello" && values["from"] == "card")
    let front: JSONObject = [
      "fileName": "front.jpg", "contentType": "image/jpeg", "byteCount": 7, "bucket": "b-1",
    ]
    let back: JSONObject = [
      "fileName": "back.jpg", "contentType": "image/png", "byteCount": 9,
    ]
    func with(_ object: JSONObject, _ state: String) -> JSONObject {
      var object = object
      object[state] = true
      return object
    }
    #expect(
      try await uploads(stage)
        == [
          with(front, "started"), with(back, "started"), with(front, "completed"),
          with(back, "completed"),
        ])
    #expect(try await stage.engagement.pendingCounts.isEmpty, "the vendor heard all four events")
    try await stage.end()
  }

  @Test("A32 G1: files and their submission survive a restart, and leave the cache with it")
  func restart() async throws {
    let place = Stage.Place()
    let first = try await stage(at: place) { request throws(EngagementError) in
      guard !request.line.hasPrefix("GET") else { return nil }
      throw EngagementError(.unavailable, "There is no network.")
    }
    _ = try await submit(["front": Self.jpeg + Array("a private photo".utf8)], to: first)
    await first.drain("atomic")
    let held = try await first.engagement.exportData(of: "u-1")
    #expect(held.contains { $0["record"] == "file" && $0["base64"]?.string?.isEmpty == false })
    try await first.end()
    #expect(try place.holds("a private photo"))
    place.clock.advance(by: .seconds(600))
    let second = try await stage(at: place)
    await second.drain("atomic")
    let bodies = second.transport.requests.compactMap(\.body)
    #expect(bodies == [Self.jpeg + Array("a private photo".utf8)])
    #expect(second.asked.contains("POST /cards.submit?user=u-1"))
    try await second.engagement.dependencies.store.checkpoint()
    #expect(try !place.holds("a private photo"))
    try await second.end()
  }

  // MARK: Files that do not

  @Test("A32: a file that the vendor refuses rejects its submission, and the card is there again")
  func refused() async throws {
    let stage = try await stage { request in
      request.line.hasPrefix("PUT") ? HTTPResponse(404) : nil
    }
    let receipt = try await submit(["front": Self.jpeg, "back": Self.png], to: stage)
    await stage.drain("atomic")
    guard case .rejected(let error)? = receipt.outcomes["atomic"] else {
      Issue.record("it is not rejected: \(receipt.outcomes)")
      return
    }
    #expect(error.code == .notFound)
    #expect(try shown(stage) != nil)
    let lines = stage.transport.requests.map(\.line).filter { !$0.hasSuffix("events") }
    #expect(lines.count == 1, "neither the second file nor the submission: \(lines)")
    let states = try await uploads(stage).map { $0["failed"] == true }
    #expect(states == [false, false, true, true])
    try await stage.end()
  }

  @Test("A32 G17: a file that was damaged in the cache is not sent, nor is its submission")
  func damaged() async throws {
    let place = Stage.Place()
    let stage = try await stage(at: place)
    let receipt = try await submit(["front": Self.jpeg], to: stage)
    var database = try Database.open(
      at: place.path, mode: .readWrite, newestSchema: Schema.migrations.newest)
    try database.transaction { (database) throws(EngagementError) in
      try database.connection.execute("UPDATE upload SET bytes = x'ffd8ffe001020f'")
    }
    await stage.drain("atomic")
    guard case .rejected(let error)? = receipt.outcomes["atomic"] else {
      Issue.record("it is not rejected: \(receipt.outcomes)")
      return
    }
    #expect(error.code == .notFound && error.message.contains("front.jpg"))
    #expect(stage.transport.requests.allSatisfy { $0.line.hasSuffix("events") })
    #expect(try shown(stage) != nil)
    try await stage.end()
  }

  @Test("A32: a submission that is cancelled sends nothing more and shows its card again")
  func cancelled() async throws {
    let stage = try await stage()
    let card = try #require(try shown(stage))
    #expect(try await !stage.engagement.cancelSubmission(of: card), "there is none yet")
    let receipt = try await submit(["front": Self.jpeg], to: stage)
    #expect(try await stage.engagement.cancelSubmission(of: card))
    #expect(try shown(stage) != nil)
    await stage.drain("atomic")
    #expect(receipt.outcomes["atomic"] == .discarded(.wiped))
    #expect(stage.transport.requests.allSatisfy { $0.line.hasSuffix("events") })
    #expect(try await uploads(stage).map { $0["started"] == true } == [true])
    _ = try await submit(["front": Self.jpeg], to: stage)
    await stage.drain("atomic")
    #expect(try await !stage.engagement.cancelSubmission(of: card), "the vendor has it")
    #expect(try shown(stage) == nil)
    try await stage.end()
  }

  @Test("A32: dropping a pending file drops its submission too")
  func dropped() async throws {
    let stage = try await stage()
    let receipt = try await submit(["front": Self.jpeg, "back": Self.png], to: stage)
    let file = try #require(
      try await stage.engagement.pendingActions().first { $0.name == "upload" })
    let names = try await stage.engagement.pendingActions().map(\.name)
    #expect(names.filter { $0 == "upload" }.count == 2 && names.contains("upload started"))
    _ = try await stage.engagement.discard([file.id])
    await stage.drain("atomic")
    #expect(receipt.outcomes["atomic"] == .discarded(.wiped))
    #expect(try shown(stage) != nil)
    #expect(stage.transport.requests.allSatisfy { $0.line.hasSuffix("events") })
    try await stage.end()
  }

  @Test("A32: dropping a pending submission drops its files too")
  func droppedSubmission() async throws {
    let stage = try await stage()
    _ = try await submit(["front": Self.jpeg, "back": Self.png], to: stage)
    let submission = try #require(
      try await stage.engagement.pendingActions().first { $0.name == "cards.submit" })
    _ = try await stage.engagement.discard([submission.id])
    await stage.drain("atomic")
    #expect(stage.transport.requests.allSatisfy { $0.line.hasSuffix("events") })
    #expect(try shown(stage) != nil)
    try await stage.end()
  }

  // MARK: What is refused before anything is accepted

  @Test("A32: a file that its input does not take, or without room, accepts nothing")
  func refusedAtOnce() async throws {
    let stage = try await stage()
    let wrong = await failure { try await submit(["back": Self.jpeg], to: stage) }
    #expect(wrong?.code == .invalidArgument && wrong?.message.contains("image/png") == true)
    let zeros = [UInt8](repeating: 0, count: CardFile.sizeLimit - 9)
    let full = await failure {
      try await submit(["front": Self.jpeg + zeros, "back": Self.png + zeros], to: stage)
    }
    #expect(full?.code == .queueFull, "two of 10 MB are more than the outbox holds")
    #expect(try await stage.engagement.pendingActions().isEmpty)
    #expect(try shown(stage) != nil)
    let small = await failure { try await submit(["front": Self.gif], to: stage) }
    #expect(small?.code == .invalidArgument)
    try await stage.end()
  }

  @Test("A32: other still images go through the converter, or are refused without one")
  func conversion() async throws {
    let none = try await stage()
    let error = await failure { try await submit(["front": Self.tiff], to: none) }
    #expect(error?.code == .unsupported && error?.message.contains("imageConverter") == true)
    #expect(try await none.engagement.pendingActions().isEmpty)
    try await none.end()

    let jpeg = Self.jpeg
    let good = try await stage(converting: { bytes in jpeg + bytes })
    _ = try await submit(["front": Self.tiff], to: good)
    await good.drain("atomic")
    #expect(good.transport.requests.compactMap(\.body) == [Self.jpeg + Self.tiff])
    #expect(try await uploads(good).first?["contentType"] == "image/jpeg")
    try await good.end()

    struct Broken: Error {}
    let gif = Self.gif
    let converters: [Options.ImageConverter] = [
      { _ in throw Broken() }, { _ in gif }, { $0 },
    ]
    for convert in converters {
      let bad = try await stage(converting: convert)
      let error = await failure { try await submit(["front": Self.tiff], to: bad) }
      #expect(error?.code == .invalidArgument)
      #expect(try await bad.engagement.pendingActions().isEmpty)
      try await bad.end()
    }
  }

  @Test("A32: a vendor that takes no files refuses the submission at once")
  func unsupported() async throws {
    var vendor = Self.vendor
    vendor.capabilities.abilities[.upload] = nil
    let stage = try await Stage([vendor]) { _ in .json(200, #"["a"]"#) }
    try await stage.signIn("u-1")
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let error = await failure { try await submit(["front": Self.jpeg], to: stage) }
    #expect(error?.code == .unsupported)
    try await stage.end()
  }
}
