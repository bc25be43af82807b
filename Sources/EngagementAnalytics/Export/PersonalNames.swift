/// Names of fields that tell who a person is, in English.
enum PersonalNames {
  /// Whether the end of a path of names is one.
  static func areIn(_ path: String) -> Bool {
    let words = words(of: path)
    if isName(words) { return true }
    for (start, word) in words.enumerated() {
      if parts.contains(where: { word.contains($0) }) { return true }
      var run = ""
      for next in words[start...].prefix(longestRun) {
        run += next
        if runs.contains(run) || run.hasSuffix("s") && runs.contains(String(run.dropLast())) {
          return true
        }
      }
    }
    return false
  }

  /// Whether the last word is `name`, and the word before it names no thing.
  private static func isName(_ words: [String]) -> Bool {
    guard words.last == "name" || words.last.map(persons.contains) == true else { return false }
    return words.last != "name" || words.count == 1 || !things.contains(words[words.count - 2])
  }

  /// What has a name that tells of no person.
  private static let things: Set<String> = [
    "app", "application", "article", "banner", "brand", "button", "campaign", "canvas", "card",
    "category", "channel", "class", "collection", "color", "country", "course", "currency",
    "device", "domain", "event", "experiment", "feature", "file", "font", "form", "group", "host",
    "image", "item", "key", "language", "level", "list", "message", "method", "module", "os",
    "package", "page", "plan", "product", "provider", "screen", "segment", "service", "session",
    "step", "store", "tag", "template", "test", "type", "variant", "variation", "view", "workflow",
  ]
  /// Who is often written as a name.
  private static let persons: Set<String> = [
    "buyer", "customer", "guest", "passenger", "patient", "recipient", "sender", "shopper",
  ]

  /// The words in small letters: `userEMail`, `user_e-mail` and `USER.E MAIL` have the same ones.
  private static func words(of path: String) -> [String] {
    var (words, word): ([String], String) = ([], "")
    let scalars = Array(path.unicodeScalars)
    func end() {
      if !word.isEmpty { words.append(word.lowercased()) }
      word = ""
    }
    for (index, scalar) in scalars.enumerated() {
      guard scalar.properties.isAlphabetic else {
        end()
        continue
      }
      let isLarge = scalar.properties.isUppercase
      let isAfterSmall = index > 0 && scalars[index - 1].properties.isLowercase
      let isBeforeSmall = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
      if isLarge, isAfterSmall || isBeforeSmall { end() }
      word.unicodeScalars.append(scalar)
    }
    end()
    return words
  }

  private static let longestRun = 4

  /// What makes every word personal that it is a part of.
  private static let parts = [
    "address", "birth", "born", "creditcard", "deviceid", "email", "firstname", "fullname",
    "ipaddress",
    "lastname", "latitude", "longitude", "msisdn", "password", "phone", "postcode", "surname",
    "userid", "username", "whatsapp", "zipcode",
  ]

  /// Words, and words in a row, that are personal as a whole.
  private static let runs: Set<String> = Set(
    parts + names + contacts + places + devices + identities + kinds
      + people.flatMap { ["\($0)name", "\($0)id", "\($0)identifier", "\($0)uuid", "\($0)guid"] })

  private static let people = [
    "account", "buyer", "client", "contact", "crm", "customer", "driver", "guest", "holder",
    "member", "owner", "passenger", "patient", "person", "profile", "rider", "recipient",
    "sender", "shopper", "subscriber", "traveler", "traveller", "user", "visitor",
  ]
  private static let names = [
    "avatar", "displayname", "familyname", "fname", "forename", "givenname", "handle", "initials",
    "legalname", "lname", "maidenname", "middlename", "nickname", "photo", "realname",
    "screenname", "secondname",
  ]
  private static let contacts = [
    "bcc", "cc", "cell", "cellnumber", "fax", "instagram", "linkedin", "mail", "mobile", "mobileno",
    "mobilenumber", "replyto", "smsnumber", "tel", "tele", "twitter",
  ]
  private static let places = [
    "addr", "altitude", "apartment", "coordinate", "forwardedfor", "housenumber",
    "ipaddr", "geo", "geolocation", "gps", "ip", "ipv", "lat", "lng", "lon",
    "latlng", "latlon", "pincode", "postal", "postalcode", "remoteaddr", "street", "zip",
  ]
  private static let devices = [
    "aaid", "adid", "adidentifier", "advertiserid", "advertisingid", "advertisingidentifier",
    "androidid", "clientuuid", "cookie", "deviceguid", "deviceidentifier", "deviceserial",
    "deviceuid", "deviceuuid", "fcmid", "fingerprint", "gaid", "gcmid", "googleadid", "hardwareid",
    "iccid", "idfa", "idfv", "identifierforadvertising", "identifierforvendor", "imei", "imsi",
    "installationid", "installid", "instanceid", "mac", "machineid", "macaddr", "meid", "oaid",
    "registrationid", "serial", "serialnumber", "token", "udid", "useragent",
  ]
  private static let identities = [
    "aadhaar", "accountnumber", "cvv", "licencenumber", "licensenumber", "drivinglicence",
    "drivinglicense", "socialsecurity", "uid", "uuid", "alias", "aliase", "anonymousid", "brazeid",
    "cardnumber",
    "clevertapid", "distinctid", "externalid", "facebookid", "fbid", "iban", "identity",
    "identitie", "login", "loginid", "loyaltyid", "loyaltynumber", "nationalid", "passport",
    "socialsecuritynumber", "ssn", "taxid",
  ]
  private static let kinds = ["age", "dob", "gender", "salutation", "sex", "yob"]
}

/// Texts by which a person can be reached.
enum ContactText {
  /// Whether an address of e-mail is in the text, or it is a phone number with its country.
  static func isIn(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "+"), digits(of: text) != nil {
      return true
    }
    return bytes.indices.contains { index in
      switch bytes[index] {
      case UInt8(ascii: "@"): isAddress(bytes, before: index, after: index + 1)
      case UInt8(ascii: "%"):
        bytes[index...].starts(with: "%40".utf8)
          && isAddress(bytes, before: index, after: index + 3)
      case _: false
      }
    }
  }

  /// The digits of a text that has the form of a phone number; nil for any other.
  static func digits(of text: String) -> [UInt8]? {
    var digits: [UInt8] = []
    for byte in text.utf8 {
      if isDigit(byte) {
        digits.append(byte)
      } else if !" +-().".utf8.contains(byte) {
        return nil
      }
    }
    return 7...15 ~= digits.count ? digits : nil
  }

  /// Whether a name stands before the sign, and a domain after it. The name of a picture such as
  /// `icon@2x.png` is no address.
  private static func isAddress(_ bytes: [UInt8], before end: Int, after start: Int) -> Bool {
    guard end > 0, isDigit(bytes[end - 1]) || isLetter(bytes[end - 1]) || bytes[end - 1] >= 0x80
    else { return false }
    let domain = bytes[start...].prefix { isLetter($0) || isDigit($0) || "-.".utf8.contains($0) }
    let labels = domain.split(separator: UInt8(ascii: "."))
    guard labels.count > 1, let first = labels.first,
      !(first.count == 2 && isDigit(first[first.startIndex]) && first.last == UInt8(ascii: "x"))
    else { return false }
    return labels.dropFirst().contains { $0.count > 1 && $0.allSatisfy(isLetter) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }
}
