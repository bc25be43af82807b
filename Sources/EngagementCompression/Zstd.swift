import CZstd
import EngagementModel

/// One zstd frame that is being written.
@safe
final class ZstdStream: CompressionStream {
  private let context: OpaquePointer

  init() throws(EngagementError) {
    guard let context = unsafe ZSTD_createCCtx() else { throw zstdFailure(nil) }
    unsafe self.context = unsafe context
    try check(unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1))
    try check(unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1))
  }

  deinit { unsafe ZSTD_freeCCtx(context) }

  func compress(
    _ input: RawSpan, isLast: Bool, to output: inout [UInt8]
  ) throws(EngagementError) {
    var rest = input
    while true {
      let step = unsafe transfer(rest, to: &output, limit: Self.room) { output, input in
        unsafe ZSTD_compressStream2(context, &output, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
      }
      try check(step.code)
      rest = rest.extracting(droppingFirst: step.taken)
      // At the end, the code is what is still to be written.
      if rest.isEmpty, isLast ? step.code == 0 : step.added < Self.room { return }
    }
  }

  func restart() throws(EngagementError) {
    try check(unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_only))
  }

  private static let room = 64 * 1_024
}

/// Zstd frames that are being read.
@safe
final class UnzstdStream: DecompressionStream {
  private let context: OpaquePointer
  private(set) var isComplete = false

  init() throws(EngagementError) {
    guard let context = unsafe ZSTD_createDCtx() else { throw zstdFailure(nil) }
    unsafe self.context = unsafe context
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  func decompress(
    _ input: RawSpan, to output: inout [UInt8], limit: Int
  ) throws(EngagementError) -> Int {
    guard !input.isEmpty || !isComplete else { return 0 }
    let step = unsafe transfer(input, to: &output, limit: limit) { output, input in
      unsafe ZSTD_decompressStream(context, &output, &input)
    }
    guard ZSTD_isError(step.code) == 0 else { throw Decompressor.damaged }
    // Nothing taken and nothing added says nothing new about where a frame ends.
    if step.taken > 0 || step.added > 0 { isComplete = step.code == 0 }
    return step.taken
  }
}

private func transfer(
  _ input: RawSpan, to output: inout [UInt8], limit: Int,
  _ call: (inout ZSTD_outBuffer, inout ZSTD_inBuffer) -> Int
) -> (code: Int, taken: Int, added: Int) {
  unsafe input.withUnsafeBytes { input in
    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var (code, added) = (0, 0)
    output.append(addingCapacity: limit) { span in
      unsafe span.withUnsafeMutableBufferPointer { room, initialized in
        var target = unsafe ZSTD_outBuffer(
          dst: room.baseAddress.map { unsafe $0 + initialized }, size: limit, pos: 0)
        code = unsafe call(&target, &source)
        added = unsafe target.pos
        initialized += added
      }
    }
    return unsafe (code, source.pos, added)
  }
}

private func check(_ code: Int) throws(EngagementError) {
  guard ZSTD_isError(code) == 0 else { throw zstdFailure(code) }
}

private func zstdFailure(_ code: Int?) -> EngagementError {
  EngagementError(
    .internalFailure, "zstd failed.",
    underlying: code.map { unsafe String(cString: ZSTD_getErrorName($0)) })
}
