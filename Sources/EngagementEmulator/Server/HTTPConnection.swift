import CMicrohttpd
import EngagementVendors

/// The library's handle of a connection. It lives until the request is completed, which a
/// suspended one is not.
// The library lets a connection be resumed from any thread, and the rest is done on its own.
@safe struct HTTPConnection: @unchecked Sendable {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  var socket: Int32 { unsafe microhttpd_socket(handle) }

  func suspend() { unsafe MHD_suspend_connection(handle) }
  func resume() { unsafe MHD_resume_connection(handle) }

  /// The header fields, names in lower case.
  var headers: [(name: String, value: String)] {
    var fields = Fields()
    unsafe withUnsafeMutablePointer(to: &fields) { fields in
      _ = unsafe MHD_get_connection_values(handle, .HEADER_KIND, onField, fields)
    }
    return fields.list
  }

  /// Hands an answer to the library.
  func queue(_ reply: VendorReply) -> MHD_Result {
    let made = unsafe reply.body.withUnsafeBytes { body in
      unsafe MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response = unsafe made else { return .NO }
    defer { unsafe MHD_destroy_response(response) }
    for (name, value) in reply.headers {
      guard unsafe MHD_add_response_header(response, name, value) == .YES else { return .NO }
    }
    return unsafe MHD_queue_response(handle, UInt32(reply.status), response)
  }
}

private struct Fields {
  var list: [(name: String, value: String)] = []
}

// At file scope: formed in an actor's context, it would check for that actor and trap.
private let onField: MHD_KeyValueIterator = { fields, _, name, value in
  guard let fields = unsafe fields, let name = unsafe name else { return .YES }
  let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
  unsafe fields.assumingMemoryBound(to: Fields.self).pointee.list
    .append((String(cString: name).lowercased(), text))
  return .YES
}
