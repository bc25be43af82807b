import EngagementJSON
import EngagementModel

/// The nodes of a view: its components as a tree and, separately, its buttons in order. A node of
/// an unknown type is left out with its children.
struct AtomicNodes {
  private(set) var components: [Component] = []
  private(set) var buttons: [CardButton] = []

  private static let kinds: [JSONKey: Component.Kind] = [
    "cardDescription": .category, "headline": .headline, "text": .text, "list": .list,
    "listItem": .listItem, "image": .image, "video": .video, "form": .form,
    "textInput": .textInput, "numberInput": .numberInput, "stepper": .stepper,
    "switch": .toggle, "dropdown": .dropdown, "datePicker": .datePicker,
    // These words are not documented; they are formed like the others.
    "checkboxGroup": .checkboxGroup, "checkboxItem": .checkbox, "fileUpload": .fileInput,
  ]

  init(_ nodes: [JSONFields]) {
    for node in nodes { add(node) }
  }

  private mutating func add(_ node: JSONFields) {
    guard let type = node.string("type").map(JSONKey.init(_:)) else { return }
    let attributes = node.fields("attributes")
    if let kind = Self.kinds[type] {
      let inner = AtomicNodes(node.objects("children") ?? [])
      var values = attributes.map { AtomicAttributes.read($0, of: kind) } ?? [:]
      if let rules = node.fields("validations").map(AtomicAttributes.rules), !rules.isEmpty {
        values["rules"] = .array(rules)
      }
      components.append(Component(kind, values, children: inner.components))
      buttons += inner.buttons
    } else if let attributes, let button = AtomicButtons.button(type, attributes) {
      buttons.append(button)
    }
  }
}

/// Maps a node's attributes to neutral names.
enum AtomicAttributes {
  private enum Form {
    case text, texts, address, integer, number, any, object, options
    /// The text, or the member of an object with that name.
    case alternative(JSONKey)
  }

  private static let names: [(word: JSONKey, neutral: String, form: Form)] = [
    ("text", "text", .text), ("icon", "icon", .text), ("iconUrl", "iconURL", .address),
    ("preIcon", "icon", .text), ("preIconUrl", "iconURL", .address),
    // The neutral `type` is already the component's kind.
    ("type", "style", .text), ("format", "format", .text),
    ("src", "url", .address), ("thumbnailSrc", "thumbnailURL", .address),
    ("label", "label", .text), ("description", "description", .text),
    ("altText", "alt", .alternative("src")),
    ("altText", "thumbnailAlt", .alternative("thumbnailSrc")),
    ("name", "name", .text), ("placeholder", "placeholder", .text),
    ("defaultValue", "defaultValue", .any), ("defaultValues", "defaultValues", .object),
    ("numberOfLines", "lines", .integer), ("maxLength", "maximumLength", .integer),
    ("minimumValue", "minimum", .any), ("maximumValue", "maximum", .any),
    ("stepValue", "step", .number), ("values", "options", .options),
    // What other clients of the vendor say for the same.
    ("style", "style", .text), ("maximumLength", "maximumLength", .integer),
    ("thumbnailUrl", "thumbnailURL", .address), ("key", "name", .text),
    ("allowedTypes", "contentTypes", .texts), ("bucketId", "bucket", .text),
  ]

  /// What other clients call the members of an image or a video, beside the others or in `media`.
  private static let mediaNames: [(word: JSONKey, neutral: String, form: Form)] = [
    ("url", "url", .address), ("thumbnailUrl", "thumbnailURL", .address),
    ("mediaDescription", "description", .text), ("alternateText", "alt", .text),
    ("thumbnailAlternateText", "thumbnailAlt", .text),
  ]

  /// The vendor's names of heights. Any other counts as the first.
  private static let heights = ["tall", "medium", "short", "original"]

  /// The defaults of a stepper.
  private static let stepper: KeyValuePairs<String, JSON> = [
    "minimum": 0, "maximum": 100, "step": 1,
  ]

  static func read(_ fields: JSONFields, of kind: Component.Kind) -> JSONObject {
    var attributes = JSONObject()
    read(names, in: fields, into: &attributes)
    if kind == .image || kind == .video {
      readMedia(fields, into: &attributes)
      if let media = fields.fields("media") { readMedia(media, into: &attributes) }
    }
    guard kind == .stepper else { return attributes }
    for (name, value) in stepper where attributes[name] == nil { attributes[name] = value }
    return attributes
  }

  /// What was read first stays.
  private static func read(
    _ names: [(word: JSONKey, neutral: String, form: Form)], in fields: JSONFields,
    into attributes: inout JSONObject
  ) {
    for (word, neutral, form) in names where attributes[neutral] == nil {
      attributes[neutral] = value(fields, word, form)
    }
  }

  private static func readMedia(_ media: JSONFields, into attributes: inout JSONObject) {
    read(mediaNames, in: media, into: &attributes)
    if attributes["height"] == nil, let height = media.fields("dimensions")?.string("height") {
      attributes["height"] = .string(heights.contains(height) ? height : heights[0])
    }
    attributes["link"] = attributes["link"] ?? link(media).map(JSON.object)
  }

  /// What touching an image opens, with the members of a button's link.
  private static func link(_ media: JSONFields) -> JSONObject? {
    switch media.string("actionType") {
    case "url": AtomicText.address(media, "actionUrl").map { ["url": .string($0)] }
    case "subview": media.string("actionLayoutName").map { ["subview": .string($0)] }
    case "payload": media.json("actionPayload")?.object.map { ["payload": .object($0)] }
    default: nil
    }
  }

  private static func value(_ fields: JSONFields, _ word: JSONKey, _ form: Form) -> JSON? {
    switch form {
    case .text: fields.string(word).map(JSON.string)
    case .address: AtomicText.address(fields, word).map(JSON.string)
    case .integer: fields.integer(word).map(JSON.integer)
    case .number: fields.number(word).flatMap { _ in fields.json(word) }
    case .any: fields.json(word).flatMap { $0 == .null ? nil : $0 }
    case .object: fields.json(word)?.object.map(JSON.object)
    case .alternative(let member):
      (fields.string(word) ?? fields.fields(word)?.string(member)).map(JSON.string)
    case .texts: fields.strings(word).map { .array($0.map(JSON.string)) }
    case .options: fields.objects(word).map { .array($0.compactMap(option)) }
    }
  }

  private static func option(_ fields: JSONFields) -> JSON? {
    guard let value = fields.json("value"), value.isSubmittable, value.object == nil else {
      return nil
    }
    let text = value.string ?? String(decoding: value.encoded(), as: UTF8.self)
    return ["value": value, "title": .string(fields.string("title") ?? text)]
  }

  // MARK: Validations

  /// In the order of their checks; the first failed rule shows its message.
  private static let rules: [String] = [
    "required", "minimumLength", "maximumLength", "minimum", "maximum", "minimumDate",
    "maximumDate", "regexp",
  ]

  static func rules(_ validations: JSONFields) -> [JSON] {
    rules.compactMap { name in
      let key = JSONKey(name)
      guard let validation = validations.fields(key),
        let attributes = validation.fields("attributes"), let value = attributes.json(key)
      else { return nil }
      var rule: JSONObject = ["rule": .string(name), "value": limit(value, of: name)]
      let message = attributes.string("errorMessage") ?? validation.string("errorMessage")
      rule["message"] = message.map(JSON.string)
      return .object(rule)
    }
  }

  /// Some clients of the vendor write numbers and truth values as text.
  private static func limit(_ value: JSON, of rule: String) -> JSON {
    guard !["minimumDate", "maximumDate", "regexp"].contains(rule), let text = value.string,
      let plain = try? JSON(parsing: Array(text.utf8)), plain.bool != nil || plain.number != nil
    else { return value }
    return plain
  }
}
