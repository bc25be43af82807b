import EngagementHTTP
import EngagementModel
import Foundation
import Testing

@Suite("Certificate pins")
struct PinTests {
  private static let zeros = String(repeating: "A", count: 43) + "="
  /// The Base64 of 32 bytes of 0xff, which begins with a slash.
  private static let ones = String(repeating: "/", count: 42) + "8="

  @Test("both spellings of a pin are read")
  func forms() throws {
    let bytes = [UInt8](repeating: 0, count: 32)
    #expect(try Pin("sha256/\(Self.zeros)").sha256 == bytes)
    #expect(try Pin("sha256//\(Self.zeros)").sha256 == bytes)
    #expect(try Pin(sha256: bytes) == Pin("sha256/\(Self.zeros)"))
  }

  @Test("a hash that starts with a slash is read in both spellings")
  func leadingSlash() throws {
    let bytes = [UInt8](repeating: 0xff, count: 32)
    #expect(try Pin("sha256/\(Self.ones)").sha256 == bytes)
    #expect(try Pin("sha256//\(Self.ones)").sha256 == bytes)
  }

  @Test(
    "any other text is refused, and the error does not repeat it",
    arguments: [
      "", "sha256/", "sha256//", zeros, "sha1/\(zeros)", "SHA256/\(zeros)", "sha256:\(zeros)",
      "sha256///\(zeros)", " sha256/\(zeros)", "sha256/\(zeros) ", "sha256/\(zeros)\n",
      "sha256/\(zeros.dropLast())", "sha256/\(zeros)=", "sha256/A\(zeros)",
      "sha256/\(zeros.dropLast(2))B=", "sha256/\(zeros.dropLast(2))-=",
      "sha256/\(zeros.dropLast(4))====", "sha256/AAAA", "sha256/\(zeros.dropLast())A",
    ])
  func refused(_ text: String) {
    let error = #expect(throws: EngagementError.self) { try Pin(text) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.description.contains("AAAA") == false)
  }

  @Test("a hash must have 32 bytes", arguments: [0, 31, 33])
  func lengths(_ count: Int) {
    #expect(throws: EngagementError.self) { try Pin(sha256: [UInt8](repeating: 0, count: count)) }
  }

  @Test("the error names the position of the wrong pin and not its value")
  func position() {
    let error = #expect(throws: EngagementError.self) {
      try PinSet(parsing: ["sha256/\(Self.zeros)", "sha256/canary"])
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.hasPrefix("Pin 2 of 2: ") == true)
    #expect(error?.description.contains("canary") == false)
  }

  @Test("an empty pin set is an error, and a single or repeated pin is a warning")
  func counts() throws {
    let error = #expect(throws: EngagementError.self) { try PinSet([]) }
    #expect(error?.code == .invalidConfiguration)
    let one = "sha256/\(Self.zeros)"
    #expect(try PinSet(parsing: [one]).warnings == [.noBackup])
    #expect(try PinSet(parsing: [one, "sha256//\(Self.zeros)"]).warnings == [.noBackup])
    #expect(try PinSet(parsing: [one, "sha256/\(Self.ones)"]).warnings.isEmpty)
  }
}

@Suite("Pins checked against a certificate chain")
struct PinSetTests {
  private static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
  private let now = Date(timeIntervalSince1970: 1_790_000_000)

  @Test(
    "any certificate of the chain may match a pin",
    arguments: [
      ([1], true), ([2], true), ([9, 1], true), ([9, 8, 2], true), ([9], false), ([], false),
    ] as [([UInt8], Bool)])
  func chains(_ chain: [UInt8], _ matches: Bool) throws {
    let pins = try PinSet([Pin(sha256: Self.key(1)), Pin(sha256: Self.key(2))])
    let verdict = pins.verdict(onChain: chain.map(Self.key), at: now)
    #expect(verdict == (matches ? .matched : .mismatched(.refuse)))
    #expect(verdict.permits == matches)
  }

  @Test("a truncated key matches no pin")
  func truncated() throws {
    let pins = try PinSet([Pin(sha256: Self.key(1))])
    #expect(!pins.verdict(onChain: [Array(Self.key(1).dropLast()), []], at: now).permits)
  }

  @Test("a report-only mismatch is reported and permitted")
  func reportOnly() throws {
    let pins = try PinSet([Pin(sha256: Self.key(1))], enforcement: .reportOnly)
    let verdict = pins.verdict(onChain: [Self.key(9)], at: now)
    #expect(verdict == .mismatched(.reportOnly))
    #expect(verdict.permits)
  }

  @Test(
    "pins are ignored from their expiry time on",
    arguments: [(-1, false), (0, true), (1, true)] as [(Double, Bool)])
  func expiry(_ offset: Double, _ isExpired: Bool) throws {
    let pins = try PinSet([Pin(sha256: Self.key(1))], expires: now)
    let verdict = pins.verdict(onChain: [Self.key(9)], at: now + offset)
    #expect(verdict == (isExpired ? .expired : .mismatched(.refuse)))
    #expect(verdict.permits == isExpired)
  }
}
