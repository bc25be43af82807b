/// Names of fields that tell who a person is, in English.
enum PersonalNames {
  /// Whether the end of a path of names is one.
  static func areIn(_ path: String) -> Bool {
    let words = words(of: path)
    if isName(words) { return true }
    for (start, word) in words.enumerated() {
      if !harmless.contains(word), parts.contains(where: { word.contains($0) }) { return true }
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
    "shop", "step", "store", "tag", "team", "template", "test", "theme", "type", "variant",
    "variation", "view", "workflow",
  ]
  /// Who is often written as a name.
  private static let persons: Set<String> = [
    "buyer", "customer", "guest", "passenger", "patient", "receiver", "recipient", "sender",
    "shopper", "spouse",
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
    "address", "bday", "birth", "born", "creditcard", "deviceid", "email", "firstname", "fullname",
    "ipaddress",
    "lastname", "latitude", "longitude", "msisdn", "password", "phone", "postcode", "surname",
    "userid", "username", "whatsapp", "zipcode",
  ]

  /// Words that only look as if they had such a part in them.
  private static let harmless: Set<String> = [
    "addressable", "airborne", "earphone", "earphones", "headphone", "headphones", "microphone",
    "microphones", "reborn", "rebirth", "saxophone", "smartphone", "smartphones",
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
    "legalname", "lname", "maidenname", "middlename", "nick", "nickname", "photo", "realname",
    "screenname", "secondname",
  ]
  private static let contacts = [
    "bcc", "cc", "cell", "cellnumber", "facebook", "fax", "instagram", "landline", "linkedin",
    "mail", "mailto", "mobile", "mobileno", "mobilenumber", "replyto", "skype", "smsnumber", "tel",
    "tele", "telegram", "twitter",
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
    "aadhaar", "accountno", "accountnumber", "cardholder", "cvc", "cvv", "jwt", "licenceplate",
    "licenseplate", "passwd", "pwd", "secret", "licencenumber", "licensenumber", "drivinglicence",
    "drivinglicense", "socialsecurity", "uid", "uuid", "alias", "aliase", "anonymousid", "brazeid",
    "cardnumber",
    "clevertapid", "distinctid", "externalid", "facebookid", "fbid", "iban", "identity",
    "identitie", "login", "loginid", "loyaltyid", "loyaltynumber", "nationalid", "passport",
    "socialsecuritynumber", "ssn", "taxid",
  ]
  private static let kinds = ["age", "dob", "gender", "salutation", "sex", "yob"]
}
