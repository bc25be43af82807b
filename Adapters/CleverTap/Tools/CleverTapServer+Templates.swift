import EngagementModel
import EngagementVendors

/// `POST /defineTemplates`.
extension CleverTapServer {
  mutating func defineTemplates(
    _ batch: CleverTapServerBatch
  ) throws(CleverTapRefusal) -> VendorAnswer {
    guard settings.hasTestProfiles else {
      throw CleverTapRefusal(401, "The profile is no test profile")
    }
    let payload = batch.items[0]
    guard payload["type"] == "templatePayload", payload.count == 2,
      let definitions = payload["definitions"]?.object
    else { throw CleverTapRefusal(400, "The second element is no templatePayload") }
    for definition in definitions.members {
      try Self.check(definition.value, of: definition.key)
    }
    templates = definitions
    let user = user(of: batch)
    return VendorAnswer(
      reply: VendorReply(json: [:]),
      effects: definitions.members.map { VendorEffect("defineTemplates", of: $0.key, by: user) },
      summary: "\(definitions.count) templates of \(user)")
  }

  private static func check(_ definition: JSON, of name: String) throws(CleverTapRefusal) {
    guard !name.isEmpty, !name.hasPrefix("ctsystem_") else {
      throw CleverTapRefusal(400, "A template has no name, or one of the vendor's own")
    }
    let type = definition["type"]?.string
    guard type == "template" || type == "function", definition.object?.count == 2,
      let arguments = definition["vars"]?.object
    else { throw CleverTapRefusal(400, "\(name) lacks its type or its vars") }
    let orders = arguments.members.compactMap { $0.value["order"]?.integer }.sorted()
    guard orders == Array(0..<Int64(arguments.count)) else {
      throw CleverTapRefusal(400, "The arguments of \(name) are not numbered from 0 on")
    }
    for argument in arguments.members {
      try check(argument.value, of: "\(argument.key) of \(name)", inFunction: type == "function")
    }
  }

  private static func check(
    _ argument: JSON, of name: String, inFunction: Bool
  ) throws(CleverTapRefusal) {
    let value = argument["defaultValue"]
    let isRight =
      switch argument["type"]?.string {
      case "string": value?.string != nil
      case "number": value?.number != nil
      case "boolean": value?.bool != nil
      case "file": value == nil
      case "action": value == nil && !inFunction
      default: false
      }
    let count = value == nil ? 2 : 3
    guard isRight, argument.object?.count == count else {
      throw CleverTapRefusal(400, "The argument \(name) is not one that a client defines")
    }
  }
}
