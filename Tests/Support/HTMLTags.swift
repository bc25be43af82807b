/// The tags of a page, all of which are closed in order.
public struct HTMLTags {
  public private(set) var names: Set<String> = []

  public struct Unbalanced: Error { let tag: String }

  public init(_ html: String) throws {
    var open: [Substring] = []
    for tag in html.matches(of: /<(\/?)(\w+)((?: [\w-]+="[^"<]*")*)(\/?)>/) {
      names.insert(String(tag.2))
      if tag.1 == "/" {
        guard open.popLast() == tag.2 else { throw Unbalanced(tag: String(tag.0)) }
      } else if tag.4.isEmpty, tag.2 != "meta" {
        open.append(tag.2)
      }
    }
    let count = html.matches(of: /<(?!!DOCTYPE)/).count
    let known = html.matches(of: /<(\/?)(\w+)((?: [\w-]+="[^"<]*")*)(\/?)>/).count
    guard open.isEmpty, count == known else { throw Unbalanced(tag: "\(open) \(count) \(known)") }
  }
}
