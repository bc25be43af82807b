import EngagementModel

extension Engagement.Split {
  /// The split as a configuration writes it.
  var json: JSON {
    var object: JSONObject = [
      "experiment": .string(experiment), "version": .integer(Int64(version)),
      "arms": .object(
        JSONObject(
          uniqueMembers: arms.map { arm in
            JSONObject.Member(
              arm.name,
              ["weight": .integer(Int64(arm.weight)), "providers": JSON(arm.providers)])
          })),
      "otherwise": JSON(otherwise),
    ]
    object["layer"] = layer.map { layer in
      [
        "name": .string(layer.name),
        "slots": [
          .integer(Int64(layer.slots.lowerBound)), .integer(Int64(layer.slots.upperBound)),
        ],
      ]
    }
    object["holdOut"] = holdOut.map { holdOut in
      ["name": .string(holdOut.name), "share": .number(holdOut.share)]
    }
    return .object(object)
  }

  /// Reads what `json` writes; throws `invalidArgument`, naming the member, for anything else.
  init(json: JSON) throws(EngagementError) {
    let object = try json.members(
      "split", among: ["experiment", "version", "arms", "otherwise", "layer", "holdOut"])
    try self.init(
      try (object["experiment"] ?? .null).text("experiment"),
      version: try object["version"]?.count("version") ?? 1,
      arms: try Self.arms(object["arms"] ?? .null),
      otherwise: try object["otherwise"]?.providers("otherwise") ?? [],
      layer: try object["layer"].map(Self.layer),
      holdOut: try object["holdOut"].map(Self.holdOut))
  }

  private static func arms(_ json: JSON) throws(EngagementError) -> [Arm] {
    guard let object = json.object else {
      throw .argumentFault("arms is no object; name the arms.")
    }
    var arms: [Arm] = []
    for member in object.members {
      let field = "arms.\(member.key)"
      let arm = try member.value.members(field, among: ["weight", "providers"])
      arms.append(
        Arm(
          member.key, weight: try arm["weight"]?.count("\(field).weight") ?? 1,
          providers: try (arm["providers"] ?? .null).providers("\(field).providers")))
    }
    return arms
  }

  private static func layer(_ json: JSON) throws(EngagementError) -> Layer {
    let object = try json.members("layer", among: ["name", "slots"])
    let name = try (object["name"] ?? .null).text("layer.name")
    guard let slots = object["slots"]?.array, slots.count == 2,
      let first = slots[0].integer.flatMap({ Int(exactly: $0) }),
      let end = slots[1].integer.flatMap({ Int(exactly: $0) }), first <= end
    else {
      throw .argumentFault("layer.slots is no pair of numbers; write the first and the end.")
    }
    return Layer(name, slots: first..<end)
  }

  private static func holdOut(_ json: JSON) throws(EngagementError) -> HoldOut {
    let object = try json.members("holdOut", among: ["name", "share"])
    let name = try (object["name"] ?? .null).text("holdOut.name")
    guard let share = object["share"]?.number else {
      throw .argumentFault("holdOut.share is no number.")
    }
    return HoldOut(name, share: share)
  }
}
