import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Reads secrets from where `engage.json` says that they are: a string, `{"env": NAME}` or
/// `{"file": PATH}`. No error holds one.
struct SecretReader {
  let environment: CommandContext.Environment
  /// What paths of files start from: the folder of the configuration.
  let folder: String

  private static let longest = 65_536

  func secret(_ field: ConfigurationField) throws(EngagementError) -> Secret {
    if case .string = field.value { return Secret(try field.string()) }
    guard case .object = field.value else {
      throw field.wrongType("a string, {\"env\": NAME} or {\"file\": PATH}")
    }
    let members = try field.members(among: ["env", "file"])
    switch (members["env"], members["file"]) {
    case (let name?, nil): return try value(inEnvironment: name)
    case (nil, let path?): return try value(inFile: path)
    default: throw field.fault("needs either env or file")
    }
  }

  func value(inEnvironment field: ConfigurationField) throws(EngagementError) -> Secret {
    let name = try field.string()
    // Somebody may have put the secret in the place of the name.
    let shown = Self.isVariable(name) ? "the variable \(name), which" : "a variable that"
    guard let value = environment(name) else {
      throw field.fault("names \(shown) is not set; export it")
    }
    guard !value.isEmpty else { throw field.fault("names \(shown) is empty; set it") }
    return Secret(value)
  }

  /// Whether the text looks like a variable and not like a key: capitals, with an underscore or
  /// without digits.
  private static func isVariable(_ name: String) -> Bool {
    name.utf8.count <= 40
      && (name.utf8.contains(UInt8(ascii: "_")) || !name.utf8.contains(where: digits.contains))
      && name.utf8.allSatisfy { capitals.contains($0) || digits.contains($0) || $0 == 0x5f }
  }

  private static let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  func value(inFile field: ConfigurationField) throws(EngagementError) -> Secret {
    let file = try field.file(in: folder)
    guard file.mode & 0o077 == 0 else {
      throw field.fault("leads to a file that others can read; run chmod 600 on it")
    }
    guard let bytes = try? file.bytes(atMost: Self.longest) else {
      throw field.fault("leads to a file that is no secret: it is too long")
    }
    // What an editor leaves at the end is not part of it.
    var text = bytes
    while text.last == 0x0a || text.last == 0x0d { text.removeLast() }
    guard !text.isEmpty else { throw field.fault("leads to a file with nothing in it") }
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
      let secret = String(validating: text, as: UTF8.self)
    else { throw field.fault("leads to a file with more than one line of text in it") }
    return Secret(secret)
  }
}
