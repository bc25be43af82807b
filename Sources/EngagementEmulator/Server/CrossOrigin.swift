import EngagementVendors

/// Pages of this machine may talk to a vendor as they may to the real one.
enum CrossOrigin {
  /// The answer to a browser that asks first.
  static func preflight(_ call: VendorRequest) -> VendorReply? {
    guard call.method == "OPTIONS", call.header("Origin") != nil else { return nil }
    let asked = call.header("Access-Control-Request-Headers") ?? "*"
    return VendorReply(
      204,
      headers: [
        ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
        ("Access-Control-Allow-Headers", asked), ("Access-Control-Max-Age", "600"),
      ])
  }

  /// Lets the page see the answer. `LoopbackGuard` has checked whose page it is.
  static func allow(_ call: VendorRequest, in reply: inout VendorReply) {
    guard let origin = call.header("Origin") else { return }
    reply.headers.append(("Access-Control-Allow-Origin", origin))
  }
}
