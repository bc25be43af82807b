import EngagementFormats
public import EngagementModel
import EngagementPlatform

extension Engagement.ParityReport {
  /// The report for a program.
  public var json: JSON {
    var encoder = ObjectEncoder([
      "surface": surface, "container": container, "candidate": candidate, "shown": shown,
      "withoutContentKeys": withoutContentKeys, "comparisons": comparisons,
      "firstComparedAt": firstComparedAt, "comparedAt": comparedAt,
    ])
    if comparisons > 0 { encoder.append(["last": last.json, "total": total.json]) }
    encoder.append([
      "longestDelay": longestDelay.map { $0 / .seconds(1) }, "examples": examples.map(\.json),
      "failures": failures, "failure": failure?.rawValue, "failedAt": failedAt,
    ])
    return encoder.json
  }

  /// Reads what `json` writes, and passes over what it does not know; nil for anything else.
  init?(json: JSON) {
    guard let surface = json["surface"]?.string, let candidate = json["candidate"]?.string else {
      return nil
    }
    self.init(
      Surface(surface), in: json["container"]?.string.map { ContainerID($0) },
      of: ProviderID(candidate), shown: json.names("shown").map { ProviderID($0) })
    withoutContentKeys = json.names("withoutContentKeys").map { ProviderID($0) }
    comparisons = json.wholeNumber("comparisons")
    firstComparedAt = json.date("firstComparedAt")
    comparedAt = json.date("comparedAt")
    last = Figures(json: json["last"] ?? .null)
    total = Figures(json: json["total"] ?? .null)
    longestDelay = json["longestDelay"]?.number.flatMap { seconds in
      seconds >= 0 && seconds < 1e12 ? .seconds(seconds) : nil
    }
    examples = (json["examples"]?.array ?? []).compactMap(Mismatch.init(json:))
    failures = json.wholeNumber("failures")
    failure = json["failure"]?.string.map { EngagementError.Code(rawValue: $0) }
    failedAt = json.date("failedAt")
  }
}

extension Engagement.ParityReport.Figures {
  fileprivate var json: JSON {
    var object: JSONObject = [:]
    for count in Self.counts {
      object[count.name] = .integer(Int64(self[keyPath: count.path]))
    }
    guard !fields.isEmpty else { return .object(object) }
    var named: JSONObject = [:]
    for (name, count) in fields.sorted(by: { $0.key < $1.key }) {
      named[name] = .integer(Int64(count))
    }
    object["fields"] = .object(named)
    return .object(object)
  }

  fileprivate init(json: JSON) {
    self.init()
    for count in Self.counts { self[keyPath: count.path] = json.wholeNumber(count.name) }
    for member in json["fields"]?.object?.members ?? [] {
      fields[member.key] = (json["fields"] ?? .null).wholeNumber(member.key)
    }
  }
}

extension Engagement.ParityReport.Mismatch {
  fileprivate var json: JSON {
    ObjectEncoder([
      "kind": kind.rawValue, "shown": shown?.description, "candidate": candidate?.description,
      "fields": fields,
    ]).json
  }

  fileprivate init?(json: JSON) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)) else { return nil }
    self.init(
      kind, shown: json.item("shown"), candidate: json.item("candidate"),
      fields: json.names("fields"))
  }
}

extension JSON {
  fileprivate func wholeNumber(_ name: String) -> Int {
    max(0, self[name]?.integer.flatMap { Int(exactly: $0) } ?? 0)
  }

  fileprivate func names(_ name: String) -> [String] {
    (self[name]?.array ?? []).compactMap(\.string)
  }

  fileprivate func date(_ name: String) -> Date? {
    self[name]?.string.flatMap { ISO8601.date(from: $0) }
  }

  /// An item as `ItemID.description` writes it.
  fileprivate func item(_ name: String) -> ItemID? {
    guard let text = self[name]?.string, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return ItemID(
      ProviderID(String(text[..<slash])), String(text[text.utf8.index(after: slash)...]))
  }
}
