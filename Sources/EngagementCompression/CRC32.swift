import CZlib

/// The checksum of gzip and of the pages of Parquet.
package enum CRC32 {
  package static func checksum(of bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      UInt32(truncatingIfNeeded: unsafe crc32_z(0, bytes.baseAddress, bytes.count))
    }
  }
}
