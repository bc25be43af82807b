import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Reads the vendor's answers.
struct CleverTapResponses {
  typealias Name = CleverTapMemory.Name

  /// The least time between two requests for the inbox by the user.
  static let inboxInterval: TimeInterval = 5 * 60

  private let configuration: CleverTapConfiguration
  private let context: AdapterContext
  private let memory: CleverTapMemory

  init(_ configuration: CleverTapConfiguration, _ context: AdapterContext) {
    self.configuration = configuration
    self.context = context
    memory = CleverTapMemory(configuration, context)
  }

  func answer(to operation: Operation, from response: HTTPResponse) -> Answer {
    if CleverTapErrors.isForeign(response, to: operation) {
      return Answer([], CleverTapErrors.foreign(response, at: context.now))
    }
    let domains = CleverTapDomainNews(response, configuration, memory)
    let changes = domains.changes(at: context.now) + silence(in: response)
    let own = meaning(of: response, to: operation, domains)
    return Answer(changes + own.changes, own.verdict)
  }

  private func meaning(
    of response: HTTPResponse, to operation: Operation, _ domains: CleverTapDomainNews
  ) -> Answer {
    if response.status == 403, let answer = withoutInbox(operation) { return answer }
    if let verdict = CleverTapErrors.verdict(on: response, to: operation, at: context.now) {
      return Answer([], verdict)
    }
    switch operation {
    case .settings: return handshake(response, domains)
    case .inbox: return inbox(response)
    case .templates, .act: return Answer()
    case .device, .registerPush, .unregisterPush, .cards, .message, .person, .associate,
      .updatePerson, .metrics, .campaigns, .events, .upload, .optOut, .pushContainers, .vendor:
      return domains.hasMoved(operation) ? Self.moved : batch(response, of: operation)
    }
  }

  // MARK: Headers

  /// Until when the vendor wants no requests. A missing or past time means the default.
  private func silence(in response: HTTPResponse) -> [Change] {
    let asks = response.headers.first("X-WZRK-MUTE")?.lowercased()
    guard asks == "true" || asks == "1" || asks == "yes" else { return [] }
    let named = response.headers.first("X-WZRK-MUTE-DURATION").flatMap { Int64($0) }
      .flatMap(Epoch.date(milliseconds:)).flatMap { $0 > context.now ? $0 : nil }
    let date = min(
      named ?? context.now.addingTimeInterval(Self.defaultSilence),
      context.now.addingTimeInterval(Self.longestSilence))
    return [.paused(until: date)]
  }

  private static let defaultSilence: TimeInterval = 24 * 3_600
  /// A limit of ours, which the kit has too: with a wrong time from the vendor, nothing would ever be
  /// sent again.
  private static let longestSilence: TimeInterval = 30 * 24 * 3_600

  private func handshake(_ response: HTTPResponse, _ domains: CleverTapDomainNews) -> Answer {
    if domains.namesDomain || !silence(in: response).isEmpty { return Answer() }
    return Answer([], CleverTapErrors.malformed("host that may be asked"))
  }

  /// If an answer names another host, the vendor's clients treat the batch as lost and send it to
  /// that host.
  private static let moved = Answer.retry(
    .unavailable, "CleverTap takes this at another host from now on.", after: .seconds(1))

  // MARK: Batches

  private func batch(_ response: HTTPResponse, of operation: Operation) -> Answer {
    // An empty body is a success for what a batch tells, and no answer to a question.
    if operation == .campaigns, response.body.isEmpty {
      return Answer([], CleverTapErrors.malformed("campaigns"))
    }
    let reply: CleverTapReply
    do throws(JSONFault) { reply = try CleverTapReply(response.body) } catch {
      return CleverTapErrors.malformed(error)
    }
    return Answer(
      changes(of: reply) + progress(after: operation) + reported(by: operation),
      verdict(on: operation))
  }

  private func reported(by operation: Operation) -> [Change] {
    guard CleverTapCall.carriesReport(operation), !context.campaignReport.isEmpty else { return [] }
    return [.campaignsReported(through: context.campaignReport.mark)]
  }

  private func changes(of reply: CleverTapReply) -> [Change] {
    let messages = CleverTapMessages(reply, isOnServer: configuration.hasServerInbox)
    return remembered(reply) + messages.changes + late(messages) + CleverTapLists.changes(of: reply)
  }

  private func late(_ messages: CleverTapMessages) -> [Change] {
    guard !messages.onServer.isEmpty else { return [] }
    return [CleverTapLateMessages(memory, at: context.now).with(messages.onServer).change]
  }

  private func remembered(_ reply: CleverTapReply) -> [Change] {
    var changes: [Change] = []
    if let guid = reply.guid { changes.append(.keep(.user, Name.guid, guid)) }
    if let arp = reply.arp { changes.append(.keep(.user, Name.arp, merged(arp))) }
    if let i = reply.i { changes.append(.keep(.user, Name.i, String(i))) }
    if let j = reply.j { changes.append(.keep(.user, Name.j, String(j))) }
    return changes
  }

  /// Merges new members into the stored ones; -1 removes a member.
  private func merged(_ news: JSONObject) -> String? {
    let kept = JSONObject(firstOfEach: news.members + memory.arp.members)
      .members.filter { $0.value != -1 }
    guard !kept.isEmpty else { return nil }
    return String(decoding: JSON.object(JSONObject(uniqueMembers: kept)).encoded(), as: UTF8.self)
  }

  private func progress(after operation: Operation) -> [Change] {
    let now = CleverTapMemory.text(context.now)
    var changes: [Change] = [
      .keep(.user, Name.lastRequest, now),
      .keep(.user, Name.session, CleverTapMemory.mark(of: context.session)),
    ]
    if memory.integer(Name.firstRequest) == nil {
      changes.append(.keep(.user, Name.firstRequest, now))
    }
    if case .associate = operation, memory.firstIdentified == nil {
      changes.append(.keep(.installation, Name.firstIdentified, memory.guid))
    }
    return changes
  }

  private func verdict(on operation: Operation) -> Verdict {
    guard case .events(let events) = operation,
      let batch = try? CleverTapBatch(events, memory, launch: { [:] }), !batch.rejected.isEmpty
    else { return .done }
    return .partly(rejected: batch.rejected)
  }

  // MARK: The inbox

  /// Reads the complete list. An answer without a list is not an empty list, which would remove
  /// every message.
  private func inbox(_ response: HTTPResponse) -> Answer {
    let reply: CleverTapReply
    do throws(JSONFault) { reply = try CleverTapReply(response.body) } catch {
      return CleverTapErrors.malformed(error)
    }
    guard let items = reply.lists[CleverTapReply.List.messages] else {
      // The older form of the inbox, as answers to batches have it.
      let older = CleverTapMessages(reply, isOnServer: false).changes
      return older.isEmpty ? Answer([], CleverTapErrors.malformed("messages")) : Answer(older)
    }
    let late = CleverTapLateMessages(memory, at: context.now).without(items)
    let retention = Retention(ids: late.ids, onlyEverSet: [CleverTapMessages.isRead])
    return Answer([
      .items(.inbox, .replace(retention), items.map(CleverTapMessages.marked)),
      .keep(.user, Name.inboxTime, CleverTapMemory.inboxMark(context.now, in: context.session)),
      late.change,
    ])
  }

  /// The answer to a 403 if the vendor has no inbox for the account. The inbox is not requested
  /// again in this session, and deletions are sent in the next. Nil for other operations.
  private func withoutInbox(_ operation: Operation) -> Answer? {
    let off = Change.keep(.user, Name.inboxOff, CleverTapMemory.mark(of: context.session))
    switch operation {
    case .inbox: return Answer([off], .refused(CleverTapErrors.noInbox))
    case .act: return Answer([off], .retry(CleverTapErrors.noInbox))
    case .settings, .device, .registerPush, .unregisterPush, .cards, .message, .person, .associate,
      .updatePerson, .metrics, .campaigns, .events, .templates, .upload, .optOut, .pushContainers,
      .vendor:
      return nil
    }
  }
}

/// The hosts in an answer's headers.
struct CleverTapDomainNews {
  private let named: [(key: String, host: String)]
  private let refused: [EngagementError]
  private let memory: CleverTapMemory

  init(
    _ response: HTTPResponse, _ configuration: CleverTapConfiguration, _ memory: CleverTapMemory
  ) {
    var (named, refused): ([(key: String, host: String)], [EngagementError]) = ([], [])
    // A configured region is not overridden.
    let headers = configuration.region == nil ? Self.headers : []
    for (header, key) in headers {
      guard let text = response.headers.first(header), !text.isEmpty else { continue }
      do throws(EngagementError) {
        named.append((key, try configuration.domain(named: text)))
      } catch {
        refused.append(error)
      }
    }
    self.named = named
    self.refused = refused
    self.memory = memory
  }

  private static let headers = [
    ("X-WZRK-RD", CleverTapMemory.Name.domain),
    ("X-WZRK-SPIKY-RD", CleverTapMemory.Name.viewedDomain),
  ]

  /// Whether the answer names an allowed host for requests.
  var namesDomain: Bool { named.contains { $0.key == CleverTapMemory.Name.domain } }

  func changes(at now: Date) -> [Change] {
    var changes: [Change] = refused.map { .ignored($0) }
    changes += named.map { .keep(.installation, $0.key, $0.host) }
    if namesDomain {
      changes.append(
        .keep(.installation, CleverTapMemory.Name.domainTime, CleverTapMemory.text(now)))
    }
    return changes
  }

  /// Whether the operation must now go to another host than the one that answered.
  func hasMoved(_ operation: Operation) -> Bool {
    let isViewed = CleverTapCall.isViewed(operation)
    let key = isViewed ? CleverTapMemory.Name.viewedDomain : CleverTapMemory.Name.domain
    guard let host = named.first(where: { $0.key == key })?.host else { return false }
    return host != memory.domain(forViewed: isViewed)
  }
}
