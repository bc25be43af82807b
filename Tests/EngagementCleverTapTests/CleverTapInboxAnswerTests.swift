import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

@Suite("CleverTap: lists of the inbox") struct CleverTapInboxAnswerTests {
  private func answer(
    _ operation: CleverTap.Operation, _ response: HTTPResponse,
    _ context: AdapterContext = CleverTap.context()
  ) throws -> Answer {
    try CleverTap.adapter().answer(to: operation, from: response, in: context)
  }

  @Test("C10: a message of a batch that the vendor does not list yet stays for six hours")
  func lateMessages() throws {
    func changes(
      _ operation: CleverTap.Operation, _ ids: [String], after hours: Double, _ stored: String?
    ) throws -> [Change] {
      let context = CleverTap.context { context in
        context.now = context.now.addingTimeInterval(hours * 3_600)
        context.values[.user, "inbox.late"] = stored
      }
      let list = ids.map { CleverTap.message($0, read: false) }.joined(separator: ",")
      let body = #"{"inbox_notifs_v2":[\#(list)]}"#
      return try answer(operation, .json(200, body), context).changes
    }
    func kept(_ changes: [Change]) -> (late: String?, ids: Set<String>?) {
      var (late, ids): (String?, Set<String>?) = (nil, nil)
      for change in changes {
        if case .keep(.user, "inbox.late", let text) = change { late = text }
        if case .items(.inbox, .replace(let retention), _) = change { ids = retention.ids }
      }
      return (late, ids)
    }
    let came = kept(try changes(.campaigns, ["m-1", "m-2"], after: 0, nil)).late
    let seconds = 1_790_845_200
    #expect(came == #"{"m-1":\#(seconds),"m-2":\#(seconds)}"#)
    let listed = kept(try changes(.inbox, ["m-2"], after: 1, came))
    #expect(listed.ids == ["m-1"] && listed.late == #"{"m-1":\#(seconds)}"#)
    let later = kept(try changes(.inbox, ["m-2"], after: 7, listed.late))
    #expect(later.ids == [] && later.late == nil)
    for damaged in ["7", "{", #"{"m-1":"x"}"#, #"{"m-1":1e99}"#] {
      #expect(kept(try changes(.inbox, [], after: 0, damaged)).ids == [])
    }
  }

  @Test("C10: a message of the vendor's list is the vendor's, also without the member isRead")
  func listedWithoutReadState() throws {
    let item = #"{ "_id":"m-1","msg":{}}"#
    for (operation, body) in [
      (CleverTap.Operation.inbox, #"{"inbox_notifs_v2":[\#(item)]}"#),
      (.campaigns, #"{"inbox_notifs_v2":[\#(item)]}"#),
    ] {
      let changes = try answer(operation, .json(200, body)).changes
      let items = changes.compactMap { change -> [RawItem]? in
        if case .items(.inbox, _, let items) = change { items } else { nil }
      }
      let message = try CleverTap.adapter().message(in: try #require(items.first?.first))
      #expect(message.handle["server"] == true && !message.isRead)
    }
  }

  @Test("C10 C11: a fault in a member that the adapter does not read costs nothing else")
  func foreignFault() throws {
    for fault in [#""a\u0000b""#, #"{"k":1,"k":2}"#, "1e999", #""\ud800""#] {
      let body = #"{"vars":\#(fault),"inbox_notifs":[\#(CleverTap.messageHere("m-1"))]}"#
      let changes = try answer(.campaigns, .json(200, body)).changes
      #expect(
        changes.contains { change in
          if case .items(_, .put, let items) = change { items.count == 1 } else { false }
        }, "\(fault)")
    }
  }

  @Test("C10: the inbox is asked at once in a new session, and once in five minutes within one")
  func inboxInterval() throws {
    let listed = try answer(.inbox, .json(200, #"{"inbox_notifs_v2":[]}"#)).changes
    var stored: String?
    for case .keep(.user, "inbox.time", let text) in listed { stored = text }
    func wait(after minutes: Double, in session: Session?) throws -> Date? {
      let context = CleverTap.context { context in
        context.values[.user, "inbox.time"] = stored
        context.session = session ?? context.session
        context.now = context.now.addingTimeInterval(minutes * 60)
        context.isUserRequested = true
      }
      let step = try CleverTap.adapter().step(for: .inbox, in: context)
      if case .wait(let date) = step { return date }
      guard case .send = step else { throw EngagementError(.internalFailure, "not asked") }
      return nil
    }
    let now = CleverTap.context().now
    #expect(try wait(after: 4, in: nil) == now.addingTimeInterval(300))
    #expect(try wait(after: 5, in: nil) == nil)
    let next = Session("s-2", startedAt: now)
    #expect(try wait(after: 1, in: next) == nil)
  }
}
