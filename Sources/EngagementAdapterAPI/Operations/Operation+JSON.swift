public import EngagementModel

/// The stored form of an operation, for the outbox, replays and logs. It has a version, so that a
/// later release can read the rows of this one.
extension Operation {
  private static let version = 1

  /// The operation with all data for another attempt, without credentials and push tokens.
  public var json: JSON {
    var encoder = ObjectEncoder(["version": Self.version, "operation": name])
    switch self {
    case .settings, .inbox, .person, .metrics, .campaigns: break
    case .device(let change): encoder.append(["change": change])
    case .registerPush(let environment), .unregisterPush(let environment):
      encoder.append(["environment": environment])
    case .pushContainers(let containers, let notifications):
      encoder.append(["notifications": notifications])
      encoder.append(["containers": JSON.array(containers.map(\.json))])
    case .cards(let container, let filters):
      encoder.append(["container": container, "filters": filters])
    case .message(let id): encoder.append(["id": id])
    case .associate(let user): encoder.append(["user": user])
    case .updatePerson(let update): encoder.append(["update": update.json])
    case .act(let action, let item):
      encoder.append(["action": action.json, "item": item.storedJSON])
    case .events(let events): encoder.append(["events": events.map(\.storedJSON)])
    case .templates(let templates): encoder.append(["templates": templates.map(\.json)])
    case .upload(let upload): encoder.append(["upload": upload.json])
    case .optOut(let value): encoder.append(["value": value])
    case .vendor(let name, let detail): encoder.append(["name": name, "detail": detail])
    }
    return encoder.json
  }

  /// Reads the stored form.
  ///
  /// Throws `newerSchema` for a version that this release does not know. Throws `invalidArgument`,
  /// which names the field, if the JSON is not an operation.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "operation"))
    let version: Int = try fields.require("version")
    guard version <= Self.version else {
      throw EngagementError(.newerSchema, "The operation was stored by a newer release.")
    }
    let name: String = try fields.require("operation")
    if let plain = Self.plain[name] {
      self = plain
      return
    }
    guard let operation = try Self.read(name, fields) else {
      throw EngagementError(.invalidArgument, "The field operation.operation names none.")
    }
    self = operation
  }

  private static let plain: [String: Operation] = [
    "settings": .settings, "inbox": .inbox, "person": .person, "metrics": .metrics,
    "campaigns": .campaigns,
  ]

  private static func read(
    _ name: String, _ fields: ObjectDecoder
  ) throws(EngagementError) -> Operation? {
    switch name {
    case "device": .device(try fields.require("change"))
    case "registerPush": .registerPush(try fields.require("environment"))
    case "unregisterPush": .unregisterPush(try fields.require("environment"))
    case "pushContainers":
      .pushContainers(
        try fields.read("containers") ?? [], notifications: try fields.read("notifications"))
    case "cards":
      .cards(
        in: try fields.read("container"), matching: try fields.read("filters") ?? [])
    case "message": .message(try fields.require("id"))
    case "associate": .associate(try fields.require("user"))
    case "updatePerson": .updatePerson(try PersonUpdate(json: fields.require("update")))
    case "act":
      .act(
        try ItemAction(json: fields.require("action")),
        on: try ItemReference(storedJSON: fields.require("item")))
    case "events": .events(try fields.list("events", EngagementEvent.init(storedJSON:)))
    case "templates": .templates(try fields.list("templates", Template.init(json:)))
    case "upload": .upload(try Upload(json: fields.require("upload")))
    case "optOut": .optOut(try fields.require("value"))
    case "vendor":
      .vendor(try fields.require("name"), try fields.read("detail") ?? JSON.null)
    default: nil
    }
  }

  /// The case's name in the stored form.
  private var name: String {
    switch self {
    case .settings: "settings"
    case .device: "device"
    case .registerPush: "registerPush"
    case .unregisterPush: "unregisterPush"
    case .pushContainers: "pushContainers"
    case .cards: "cards"
    case .inbox: "inbox"
    case .message: "message"
    case .person: "person"
    case .associate: "associate"
    case .updatePerson: "updatePerson"
    case .metrics: "metrics"
    case .campaigns: "campaigns"
    case .act: "act"
    case .events: "events"
    case .templates: "templates"
    case .upload: "upload"
    case .optOut: "optOut"
    case .vendor: "vendor"
    }
  }
}

extension Operation.DeviceChange: FieldValue {}

extension ObjectDecoder {
  /// The elements of an array; empty if the field is absent.
  fileprivate func list<Element>(
    _ name: String, _ read: (JSON) throws(EngagementError) -> Element
  ) throws(EngagementError) -> [Element] {
    var elements: [Element] = []
    for field in try field(name)?.elements() ?? [] { elements.append(try read(field.value)) }
    return elements
  }
}

extension Operation.Upload {
  var json: JSON {
    ObjectEncoder([
      "fileName": fileName, "contentType": contentType, "digest": digest,
      "byteCount": byteCount, "bucket": bucket, "item": item.storedJSON,
      "submission": submission.text,
    ]).json
  }

  init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "operation.upload"))
    self.init(
      fileName: try fields.require("fileName"), contentType: try fields.require("contentType"),
      digest: try fields.require("digest"), byteCount: try fields.require("byteCount"),
      bucket: try fields.read("bucket"),
      item: try ItemReference(storedJSON: fields.require("item")),
      submission: try fields.submission)
  }
}

extension ObjectDecoder {
  /// The key of the submission that an upload belongs to.
  fileprivate var submission: OperationKey {
    get throws(EngagementError) {
      let text: String = try require("submission")
      guard let key = OperationKey(text: text) else {
        throw EngagementError(.malformedResponse, "An upload belongs to no submission.")
      }
      return key
    }
  }
}
