import EngagementPlatform

extension Card {
  /// The card with each `!{name}` in what a screen shows replaced by the value of the runtime
  /// variable with that name.
  ///
  /// A variable without a value takes its default, and a name without a variable becomes empty.
  /// Titles, texts, images, self.components, buttons and subviews are filled alike. An address that could
  /// run code once it is filled is left out.
  public func filled(with values: [String: String] = [:]) -> Card {
    let placeholders = Placeholders(self.runtimeVariables, values)
    var card = self
    card.components = self.components.map(placeholders.filled)
    card.buttons = self.buttons.compactMap(placeholders.filled)
    card.subviews = self.subviews.map { subview in
      Subview(
        subview.id, title: subview.title.map(placeholders.filled),
        components: subview.components.map(placeholders.filled),
        buttons: subview.buttons.compactMap(placeholders.filled))
    }
    card.setSummary(filledWith: values)
    return card
  }

  /// Sets title, text and image of a composed card from its first headline, text and image.
  package mutating func setSummary(filledWith values: [String: String] = [:]) {
    guard self.kind == .composed else { return }
    let placeholders = Placeholders(self.runtimeVariables, values)
    self.title = self.components.first(.headline)?.text.map(placeholders.filled)
    self.text = self.components.first(.text)?.text.map(placeholders.filled)
    let image = self.components.first(.image)
    // What such a card shows at first is often the small image alone.
    let address = image?.urlText ?? image?.attributes["thumbnailURL"]?.string
    self.imageURLText = VendorURL.checked(address.map(placeholders.filled))
    let alternative = image?.attributes["alt"] ?? image?.attributes["thumbnailAlt"]
    self.imageAlt = alternative?.string.map(placeholders.filled)
  }
}

extension [Component] {
  /// The first component of the kind, depth-first.
  fileprivate func first(_ kind: Component.Kind) -> Component? {
    for component in self {
      if component.kind == kind { return component }
      if let inner = component.children.first(kind) { return inner }
    }
    return nil
  }
}

/// The runtime variables of a card, with the texts that take their places.
private struct Placeholders {
  private let texts: [MemberKey: String]

  init(_ variables: [Card.RuntimeVariable], _ values: [String: String]) {
    let own = values.map { (MemberKey($0), $1) }
    let answers = Dictionary(own) { first, _ in first }
    texts = Dictionary(
      variables.map { (MemberKey($0.name), answers[MemberKey($0.name)] ?? $0.defaultValue) }
    ) { first, _ in first }
  }

  /// The most bytes that values may add to a text. The limit is ours: a short text can name a long
  /// value many times.
  private static let room = 65_536

  func filled(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "!")) else { return text }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var position = 0
    while let start = Self.start(bytes, from: position),
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
    {
      output += bytes[position..<start]
      let name = String(decoding: bytes[start + 2..<end], as: UTF8.self)
      if output.count < Self.room { output += (texts[MemberKey(name)] ?? "").utf8 }
      position = end + 1
    }
    return String(decoding: output + bytes[position...], as: UTF8.self)
  }

  /// The position of the next `!{`.
  private static func start(_ bytes: [UInt8], from position: Int) -> Int? {
    bytes.indices[position...].first { index in
      bytes[index] == UInt8(ascii: "!") && index + 1 < bytes.count
        && bytes[index + 1] == UInt8(ascii: "{")
    }
  }

  func filled(_ component: Component) -> Component {
    Component(
      component.kind, filled(component.attributes), children: component.children.map(filled))
  }

  /// Nil for a link whose address could run code.
  func filled(_ button: CardButton) -> CardButton? {
    var button = button
    button.text = filled(button.text)
    button.attributes = filled(button.attributes)
    guard case .link(.url(let address)) = button.action else { return button }
    guard let address = VendorURL.checked(filled(address)) else { return nil }
    button.action = .link(.url(address))
    return button
  }

  /// The names under which values are submitted stay.
  private func filled(_ attributes: JSONObject) -> JSONObject {
    var filled = JSONObject()
    for member in attributes.members {
      filled[member.key] = member.key == "name" ? member.value : self.filled(member)
    }
    return filled
  }

  private func filled(_ member: JSONObject.Member) -> JSON? {
    guard let text = member.value.string else { return filled(member.value) }
    let isAddress = member.key == "url" || member.key.hasSuffix("URL")
    return (isAddress ? VendorURL.checked(filled(text)) : filled(text)).map(JSON.string)
  }

  private func filled(_ value: JSON) -> JSON {
    switch value {
    case .string(let text): .string(filled(text))
    case .array(let values): .array(values.map(filled))
    case .object(let object): .object(filled(object))
    case .null, .bool, .integer, .number: value
    }
  }
}
