import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// Messages to the server. Each has its own id.
struct AtomicMessages {
  private var count = 0
  /// The subscriptions of each message that asked for some. The server may name the message alone.
  private(set) var asked: [String: [String]] = [:]

  /// A new connection has no messages yet.
  mutating func forget() { asked = [:] }

  mutating func authentication(_ token: Secret, in context: AdapterContext) -> [UInt8] {
    message("auth", in: context) { $0.member("authToken", token.revealed) }
  }

  mutating func subscription(
    to entries: [AtomicSubscriptions.Entry], in context: AdapterContext
  ) -> [UInt8] {
    asked[context.id(count)] = entries.map(\.id)
    return data("subscribe", in: context) { writer in
      writer.key("subscriptions")
      writer.beginArray()
      for entry in entries {
        writer.beginObject()
        writer.member("subscriptionId", entry.id)
        writer.member("streamContainerId", entry.container.rawValue)
        writer.member("filters", .object(entry.filters))
        writer.endObject()
      }
      writer.endArray()
    }
  }

  mutating func cancellation(of ids: [String], in context: AdapterContext) -> [UInt8] {
    data("unsubscribe", in: context) { writer in
      writer.key("subscriptionIds")
      writer.value(ids)
    }
  }

  mutating func ping(in context: AdapterContext) -> [UInt8] {
    message("custom-ping", in: context) { _ in }
  }

  private mutating func data(
    _ type: String, in context: AdapterContext, _ body: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    message(type, in: context) { writer in
      writer.key("data")
      writer.beginObject()
      body(&writer)
      writer.endObject()
    }
  }

  private mutating func message(
    _ type: String, in context: AdapterContext, _ body: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("messageType", type)
    body(&writer)
    writer.member("messageId", context.id(count))
    writer.endObject()
    count += 1
    return writer.bytes
  }
}
