import EngagementJSON
import EngagementModel
import EngagementVendors

extension EmulatorRequest.Alteration {
  /// Compares what reaches the client with the whole answer.
  init(of plain: VendorReply, by delivery: ResponseDelivery) {
    differs = delivery.bytes != plain.bytes
    body =
      switch try? JSON(parsing: plain.body) {
      case nil: plain.body.isEmpty ? "empty" : "other"
      case .object: "object"
      case .array: "array"
      case .null, .bool, .integer, .number, .string: "other"
      }
  }
}

extension ResponseDelivery {
  /// The bytes that the client gets.
  fileprivate var bytes: [UInt8] {
    switch self {
    case .answer(let reply): return reply.bytes
    case .wire(let steps):
      return steps.flatMap { step -> [UInt8] in
        switch step {
        case .send(let part): part
        case .answer(let reply), .open(_, let reply): reply.bytes
        case .wait, .close, .reset: []
        }
      }
    }
  }
}
