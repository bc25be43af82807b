extension SHA256 {
  /// The state after whole blocks of 64 bytes.
  static func compress(_ blocks: RawSpan, from state: SIMD8<UInt32>) -> SIMD8<UInt32> {
    guard !blocks.isEmpty else { return state }
    var state = state
    var schedule = [UInt32](repeating: 0, count: 64)
    var words = schedule.mutableSpan
    for block in stride(from: 0, to: blocks.byteCount, by: MessagePadding.blockSize) {
      fill(&words, from: blocks, at: block)
      state &+= rounds(words.span, from: state)
    }
    return state
  }

  private static func fill(_ words: inout MutableSpan<UInt32>, from blocks: RawSpan, at block: Int)
  {
    for place in 0..<16 { words[place] = blocks.bigEndianWord(at: block + 4 * place) }
    for place in 16..<64 {
      let early = words[place - 15]
      let late = words[place - 2]
      words[place] =
        words[place - 16] &+ words[place - 7]
        &+ (early.rotated(right: 7) ^ early.rotated(right: 18) ^ early >> 3)
        &+ (late.rotated(right: 17) ^ late.rotated(right: 19) ^ late >> 10)
    }
  }

  /// The 64 rounds, with the names of the standard.
  ///
  /// The loop is unrolled eight times. Each round passes the variables in a rotated order instead
  /// of moving the values, which halves the time.
  private static func rounds(_ words: Span<UInt32>, from state: SIMD8<UInt32>) -> SIMD8<UInt32> {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    let constants = constants.span
    for place in stride(from: 0, to: 64, by: 8) {
      round(a, b, c, &d, e, f, g, &h, constants[place] &+ words[place])
      round(h, a, b, &c, d, e, f, &g, constants[place + 1] &+ words[place + 1])
      round(g, h, a, &b, c, d, e, &f, constants[place + 2] &+ words[place + 2])
      round(f, g, h, &a, b, c, d, &e, constants[place + 3] &+ words[place + 3])
      round(e, f, g, &h, a, b, c, &d, constants[place + 4] &+ words[place + 4])
      round(d, e, f, &g, h, a, b, &c, constants[place + 5] &+ words[place + 5])
      round(c, d, e, &f, g, h, a, &b, constants[place + 6] &+ words[place + 6])
      round(b, c, d, &e, f, g, h, &a, constants[place + 7] &+ words[place + 7])
    }
    return SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ input: UInt32
  ) {
    let choice = e & f ^ ~e & g
    let majority = a & b ^ a & c ^ b & c
    let sum1 = e.rotated(right: 6) ^ e.rotated(right: 11) ^ e.rotated(right: 25)
    let sum0 = a.rotated(right: 2) ^ a.rotated(right: 13) ^ a.rotated(right: 22)
    let first = h &+ sum1 &+ choice &+ input
    d &+= first
    h = first &+ sum0 &+ majority
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
    0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
    0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
    0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
    0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
