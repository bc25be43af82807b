import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Device {
  /// This machine, as vendors are told of it.
  static func tool(id: String, environment: Surroundings.Environment) -> Device {
    Device(
      id: id, appID: "engage", appVersion: EngageTool.version, system: systemName,
      systemVersion: release, locale: locale(in: environment),
      timeZone: environment("TZ").flatMap(zone) ?? "UTC", zoneOffset: zoneOffset)
  }

  private static var systemName: String {
    #if os(Linux)
      "Linux"
    #else
      "macOS"
    #endif
  }

  private static var release: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown" }
    return withUnsafeBytes(of: &names.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func locale(in environment: Surroundings.Environment) -> String {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment)
      .first { !$0.isEmpty }
    let name = (set ?? "").prefix { $0 != "." && $0 != "@" }
    return name.isEmpty || name == "C" || name == "POSIX" ? "en_US" : String(name)
  }

  /// The name of a zone, and not a rule or a file.
  private static func zone(_ text: String) -> String? {
    let isName = text.utf8.allSatisfy { byte in
      (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
        || [UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+")]
          .contains(byte)
    }
    return isName && !text.isEmpty && !text.hasPrefix("/") ? text : nil
  }

  private static var zoneOffset: Int {
    var (now, local) = (time(nil), tm())
    guard localtime_r(&now, &local) != nil else { return 0 }
    return local.tm_gmtoff
  }
}
