extension Oracle {
  /// Shrinks an input as far as both readers still disagree about it.
  public func smallest(_ bytes: [UInt8]) -> [UInt8] {
    var smallest = bytes
    var length = bytes.count / 2
    while length > 0 {
      var start = 0
      while start < smallest.count {
        var shorter = smallest
        shorter.removeSubrange(start..<min(start + length, shorter.count))
        if disagree(about: shorter) { smallest = shorter } else { start += length }
      }
      length /= 2
    }
    return smallest
  }

  private func disagree(about bytes: [UInt8]) -> Bool {
    do throws(Disagreement) {
      _ = try compare(bytes)
      return false
    } catch {
      return true
    }
  }

  /// The bytes as an argument for a shell's `printf`.
  public static func printable(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      switch byte {
      case UInt8(ascii: "\\"): "\\\\"
      case UInt8(ascii: "%"): "%%"
      case UInt8(ascii: "'"): "\\047"
      case 0x20..<0x7f: String(UnicodeScalar(byte))
      default:
        "\\" + String(repeating: "0", count: byte < 8 ? 2 : byte < 64 ? 1 : 0)
          + String(byte, radix: 8)
      }
    }.joined()
  }
}
