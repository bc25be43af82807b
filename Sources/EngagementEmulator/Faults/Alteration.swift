import EngagementVendors

extension EmulatorRequest.Alteration {
  /// Compares what reaches the client with the whole answer.
  init(of plain: VendorReply, by delivery: ResponseDelivery) {
    differs = delivery.bytes != plain.bytes
    body =
      switch plain.body.first(where: { !" \t\r\n".utf8.contains($0) }) {
      case UInt8(ascii: "{"): "object"
      case UInt8(ascii: "["): "array"
      case nil: "empty"
      default: "other"
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
        case .answer(let reply): reply.bytes
        case .wait, .close, .reset: []
        }
      }
    }
  }
}
