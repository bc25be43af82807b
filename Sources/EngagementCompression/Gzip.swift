import CZlib
import EngagementModel

/// One gzip member that is being written.
final class GzipStream: CompressionStream {
  private let stream = ZlibStream()

  init() throws(EngagementError) {
    try stream.check(unsafe czlib_start_gzip(stream.state, 1))
  }

  deinit { unsafe deflateEnd(stream.state) }

  func compress(
    _ input: RawSpan, isLast: Bool, to output: inout [UInt8]
  ) throws(EngagementError) {
    var rest = input
    var code = Z_OK
    repeat {
      let step = unsafe stream.step(rest, to: &output, limit: Self.room) { state in
        unsafe deflate(state, isLast ? Z_FINISH : Z_NO_FLUSH)
      }
      code = step.code
      // No progress is no failure: there was nothing to do.
      if code != Z_BUF_ERROR, code != Z_STREAM_END { try stream.check(code) }
      rest = rest.extracting(droppingFirst: step.taken)
      if !isLast, rest.isEmpty, step.added < Self.room { return }
    } while code != Z_STREAM_END
  }

  func restart() throws(EngagementError) { try stream.check(unsafe deflateReset(stream.state)) }

  private static let room = 64 * 1_024
}

/// Gzip members that are being read.
final class GunzipStream: DecompressionStream {
  private let stream = ZlibStream()
  private(set) var isComplete = false

  init() throws(EngagementError) {
    try stream.check(unsafe czlib_start_gunzip(stream.state))
  }

  deinit { unsafe inflateEnd(stream.state) }

  func decompress(
    _ input: RawSpan, to output: inout [UInt8], limit: Int
  ) throws(EngagementError) -> Int {
    guard !input.isEmpty || !isComplete else { return 0 }
    if isComplete {
      try stream.check(unsafe inflateReset(stream.state))
      isComplete = false
    }
    let step = unsafe stream.step(input, to: &output, limit: limit) { state in
      unsafe inflate(state, Z_NO_FLUSH)
    }
    if step.code == Z_STREAM_END {
      isComplete = true
    } else if step.code == Z_DATA_ERROR || step.code == Z_NEED_DICT {
      throw Decompressor.damaged
    } else if step.code != Z_BUF_ERROR {
      // No progress is no failure: the rest is still to come.
      try stream.check(step.code)
    }
    return step.taken
  }
}

/// What zlib keeps of a stream. It knows its own address, so it never moves.
@safe
private final class ZlibStream {
  let state: UnsafeMutablePointer<z_stream>

  init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: z_stream())
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  func step(
    _ input: RawSpan, to output: inout [UInt8], limit: Int,
    _ call: (UnsafeMutablePointer<z_stream>) -> Int32
  ) -> (code: Int32, taken: Int, added: Int) {
    // zlib counts with 32 bits.
    let count = min(input.byteCount, Int(Int32.max))
    return unsafe input.withUnsafeBytes { input in
      var code = Z_OK
      var added = 0
      output.append(addingCapacity: limit) { span in
        added = unsafe span.withUnsafeMutableBufferPointer { room, initialized in
          // It never writes to its input.
          unsafe state.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
          unsafe state.pointee.avail_in = UInt32(count)
          unsafe state.pointee.next_out = room.baseAddress.map { unsafe $0 + initialized }
          unsafe state.pointee.avail_out = UInt32(limit)
          code = unsafe call(state)
          let added = limit - Int(unsafe state.pointee.avail_out)
          initialized += added
          return added
        }
      }
      return (code, count - Int(unsafe state.pointee.avail_in), added)
    }
  }

  func check(_ code: Int32) throws(EngagementError) {
    guard code != Z_OK else { return }
    throw EngagementError(
      .internalFailure, "zlib failed.", underlying: unsafe String(cString: zError(code)))
  }
}
