import EngagementJSON
import EngagementModel

/// Maps one content of an inbox message: its texts, links, media and buttons.
///
/// | field | absent | wrong type | unknown value |
/// |---|---|---|---|
/// | `title.text`, `message.text` | none | none | any text |
/// | `action.url.ios.text`, `icon.url`, `media.url` | none | none | dropped where it can run code |
/// | `action.hasUrl`, `action.hasLinks` | yes | yes | no: without the page, without buttons |
/// | `media.content_type` | an image | an image | a video has its poster, a sound no image |
/// | `media.alt_text` | none | none | any text |
/// | `action.links` | none | none | a button without a text or a known action is left out |
enum CleverTapContents {
  static func content(
    _ fields: JSONFields, _ platform: CleverTapConfiguration.Platform
  ) -> InboxMessage.Content {
    var content = InboxMessage.Content()
    content.subject = fields.fields("title")?.nonEmptyText("text")
    content.text = fields.fields("message")?.nonEmptyText("text")
    content.iconURLText = VendorURL.checked(fields.fields("icon")?.string("url"))
    if let media = fields.fields("media") {
      content.imageURLText = VendorURL.checked(media.string(image(of: media)))
      content.imageAlt = media.nonEmptyText("alt_text")
    }
    guard let action = fields.fields("action") else { return content }
    if action.flag("hasUrl") ?? true { content.detailURLText = url(in: action, platform) }
    if action.flag("hasLinks") ?? true {
      content.buttons = (action.objects("links") ?? []).compactMap { button($0, platform) }
    }
    return content
  }

  /// The name of the member with the image.
  private static func image(of media: JSONFields) -> JSONKey {
    let type = media.string("content_type") ?? ""
    return type.hasPrefix("video") || type.hasPrefix("audio") ? "poster" : "url"
  }

  private static func url(
    in fields: JSONFields, _ platform: CleverTapConfiguration.Platform
  ) -> String? {
    VendorURL.checked(fields.fields("url")?.fields(platform.linkKey)?.string("text"))
  }

  private static func button(
    _ fields: JSONFields, _ platform: CleverTapConfiguration.Platform
  ) -> InboxMessage.Button? {
    guard let text = fields.nonEmptyText("text"), let action = action(fields, platform) else {
      return nil
    }
    return InboxMessage.Button(text, action)
  }

  /// The clients ignore the case of the vendor's words.
  private static func action(
    _ fields: JSONFields, _ platform: CleverTapConfiguration.Platform
  ) -> InboxMessage.Button.Action? {
    switch fields.string("type")?.lowercased() {
    case "url": url(in: fields, platform).map { .openURL($0) }
    case "copy": fields.fields("copyText")?.nonEmptyText("text").map { .copy($0) }
    case "kv": fields.json("kv")?.object.map { .keyValues($0) }
    case "rfp": .askForPushes
    case .some, nil: nil
    }
  }
}
