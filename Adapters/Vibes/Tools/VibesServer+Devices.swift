import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension VibesServer {
  /// Every registration makes a device, with a person of its own.
  mutating func register(_ call: VendorRequest, at now: Date) -> VendorAnswer {
    guard let details = Self.device(in: call) else {
      return Self.failure(422, "The device needs an os, iOS or Android")
    }
    let (id, person) = (
      settings.hasBase64DeviceIDs ? Self.base64ID(&numbers) : numbers.uuid(), numbers.hex(20)
    )
    registrations += 1
    persons[person] = VibesPerson()
    devices[id] = RegisteredVibesDevice(token: Secret(""), person: person, details: details)
    let reply = credential(of: id, at: now)
    return VendorAnswer(
      reply: VendorReply(201, json: reply), effects: [effect("register", id, id)],
      summary: "registered \(id)")
  }

  /// An id that has a slash, a plus and an equals sign.
  private static func base64ID(_ numbers: inout SeededNumbers) -> String {
    while true {
      let id = Base64.text(
        of: Array(numbers.hex(20).utf8.map { $0 ^ UInt8(numbers.next() & 0xff) }))
      if id.contains("/") && id.contains("+") && id.contains("=") && !id.contains("//") {
        return id
      }
    }
  }

  mutating func deviceCall(
    _ key: String, _ call: VendorRequest, _ device: String, at now: Date
  ) -> VendorAnswer {
    switch key {
    case "PUT devices/*", "PATCH devices/*":
      guard let details = Self.device(in: call) else {
        return Self.failure(422, "The device needs an os, iOS or Android")
      }
      devices[device]?.details = details
      let isRenewal = call.method == "PUT"
      return VendorAnswer(
        reply: isRenewal ? VendorReply(json: credential(of: device, at: now)) : VendorReply(204),
        effects: [effect(isRenewal ? "renew" : "update", device, device)],
        summary: "\(isRenewal ? "new token" : "update") of \(device)")
    case "DELETE devices/*":
      let effects = [effect("unregister", device, device)]
      devices[device] = nil
      return VendorAnswer(
        reply: VendorReply(204), effects: effects, summary: "unregistered \(device)")
    case "GET devices/*/person":
      return VendorAnswer(
        reply: VendorReply(json: person(of: device)), summary: "person of \(device)")
    case "POST devices/*/assign": return assign(call, device)
    case "POST devices/*/events": return events(call, device)
    default: return pushRegistration(call, device)
    }
  }

  private mutating func pushRegistration(_ call: VendorRequest, _ device: String) -> VendorAnswer {
    guard call.method == "POST" else {
      let isChange = devices[device]?.pushToken != nil
      devices[device]?.pushToken = nil
      return VendorAnswer(
        reply: VendorReply(204),
        effects: isChange ? [effect("push_unregister", device, device)] : [],
        summary: "push unregistered")
    }
    let token = Self.object(call)?["device"]?["push_token"]?.string ?? ""
    guard !token.isEmpty else { return Self.failure(422, "The device needs a push_token") }
    let isChange = devices[device]?.pushToken != Secret(token)
    devices[device]?.pushToken = Secret(token)
    return VendorAnswer(
      reply: VendorReply(204), effects: isChange ? [effect("push_register", device, device)] : [],
      summary: "push registered")
  }

  // MARK: Persons

  /// Unknown names are given to the person that the device has; a known one's person takes the
  /// device over.
  private mutating func assign(_ call: VendorRequest, _ device: String) -> VendorAnswer {
    let body = Self.object(call)
    let old = devices[device]?.person ?? ""
    if let key = body?["person_key"]?.string {
      guard persons[key] != nil else { return Self.failure(404, "There is no such person") }
      devices[device]?.person = key
    } else if let name = body?["external_person_id"]?.string, (1...128).contains(name.utf8.count) {
      if let key = persons.first(where: { $0.value.externalID == name })?.key {
        devices[device]?.person = key
      } else {
        persons[old]?.externalID = name
        return VendorAnswer(
          reply: VendorReply(json: person(of: device)), effects: [effect("assign", device, device)],
          summary: "named \(name)")
      }
    } else {
      return Self.failure(422, "There is no external_person_id of 1 to 128 bytes")
    }
    return VendorAnswer(
      reply: VendorReply(json: person(of: device)),
      effects: devices[device]?.person == old ? [] : [effect("assign", device, device)],
      summary: "assigned to \(user(of: device))")
  }

  private func person(of device: String) -> JSON {
    let key = devices[device]?.person ?? ""
    var person: JSONObject = ["person_key": .string(key)]
    // The vendor's Android client does not read a person without this member.
    person["external_person_id"] = persons[key]?.externalID.map(JSON.string) ?? .null
    person["mobile_phone"] = persons[key]?.phone.map { ["mdn": .string($0)] }
    return .object(person)
  }

  // MARK: Tokens

  private mutating func credential(of device: String, at now: Date) -> JSON {
    let token = settings.tokenPrefix + numbers.hex(32)
    devices[device]?.token = Secret(token)
    devices[device]?.expiresAt = settings.tokenLifetime.map {
      now.addingTimeInterval(Double($0))
    }
    return ["auth_token": .string(token), "device": ["vibes_device_id": .string(device)]]
  }

  private static func device(in call: VendorRequest) -> JSONObject? {
    guard let device = object(call)?["device"]?.object,
      let system = device["os"]?.string?.lowercased(), ["ios", "android"].contains(system)
    else { return nil }
    return device
  }

  func effect(_ name: String, _ subject: String, _ device: String) -> VendorEffect {
    VendorEffect(name, of: subject, by: user(of: device))
  }
}
