public import EngagementModel
import EngagementPlatform

extension Device {
  /// The machine that this runs on, with its system, language and time zone as they are now.
  ///
  /// It has no `id`: `Engagement.open` makes one for the installation and keeps it in the cache.
  ///
  /// - Parameters:
  ///   - appID: The application's own id, such as a bundle id.
  ///   - appVersion: The application's version, where it has one.
  public static func current(appID: String, appVersion: String? = nil) -> Device {
    current(appID: appID, appVersion: appVersion) { name in
      getenv(name).map { String(cString: $0) }
    }
  }

  /// - Parameter environment: The value of an environment variable; nil where it is not set.
  static func current(
    appID: String, appVersion: String?, _ environment: (String) -> String?
  ) -> Device {
    let language = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment)
      .first { !$0.isEmpty }
    return Device(
      id: "", appID: appID, appVersion: appVersion, system: systemName, systemVersion: release,
      locale: locale(language ?? ""),
      timeZone: environment("TZ").flatMap(zoneName) ?? systemZone,
      zoneOffset: zoneOffset)
  }

  private static var systemName: String {
    #if os(Linux)
      "Linux"
    #elseif os(Android)
      "Android"
    #elseif os(iOS)
      "iOS"
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

  private static func locale(_ language: String) -> String {
    let name = language.prefix { $0 != "." && $0 != "@" }
    return name.isEmpty || name == "C" || name == "POSIX" ? "en_US" : String(name)
  }

  /// The zone that the machine is set to; `UTC` where it does not say.
  private static var systemZone: String {
    var path = [CChar](repeating: 0, count: 1_024)
    let count = readlink("/etc/localtime", &path, path.count)
    guard count > 0 else { return "UTC" }
    let target = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let parts = target.split(separator: "/")
    guard let folder = parts.lastIndex(of: "zoneinfo") else { return "UTC" }
    return zoneName(parts[(folder + 1)...].joined(separator: "/")) ?? "UTC"
  }

  /// The name of a zone; nil for a rule or a file.
  private static func zoneName(_ text: String) -> String? {
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
