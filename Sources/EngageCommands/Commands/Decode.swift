import EngagementModel
import EngagementVendors

extension Command {
  private static let kind = Option(
    "kind", value: "KIND", "what it is", choices: Decoding.Kind.allCases.map(\.rawValue))

  private static let strict = Option(
    "strict",
    "the status is 1 if an item is quarantined, or if the payload is none")

  static func decode(_ vendors: [VendorRegistration]) -> Command {
    let vendor = Option(
      "vendor", value: "NAME", "the payload's vendor", choices: vendors.map(\.name))
    return Command(
      name: ["decode"], summary: "show what an adapter makes of a vendor's payload",
      discussion: """
        Prints neutral JSON, one object a line: the items; {"quarantined": …} for each bad item;
        {"ignored": …} for an unknown kind; {"removed": …} for an item that the vendor removed.
        FILE is a whole answer of the vendor, a list of items, or one item. A push that is not the
        vendor's prints no object. With --json each object has "schema" too.
        """,
      arguments: [
        Argument(name: "FILE", help: "the payload; - reads standard input", completion: .files)
      ],
      options: [vendor, kind, strict],
      examples: vendors.flatMap { vendor in
        vendor.examples.payloads.map { payload in
          Example(
            "engage decode --vendor \(vendor.name) --kind \(payload.kind) \(payload.file)",
            payload.meaning)
        }
      },
      run: { invocation in
        guard let name = invocation.value(vendor) else {
          throw invocation.usage("Name the vendor: --vendor NAME.")
        }
        guard let kindName = invocation.value(kind) else {
          throw invocation.usage("Name the kind: --kind KIND.")
        }
        let kind: Decoding.Kind = try invocation.choice(kindName, of: "--kind")
        let registration = vendors.first { $0.name == name }
        guard let adapter = try registration?.makeReader?() else {
          throw EngagementError(.unsupported, "\(name) is not available in this version.")
        }
        let bytes = try invocation.bytes(of: try invocation.argument())
        let lists = registration?.examples.payloads.first { $0.kind == kindName }?.lists ?? []
        let payload = try Decoding(adapter, kind, lists: lists).payload(of: bytes)
        let lines = payload.lines
        if lines.isEmpty {
          invocation.console.note(
            kind == .push ? "The push is not \(name)'s." : Self.nothing(kind, lists))
        }
        if invocation.has(strict), let fault = payload.fault {
          invocation.console.note("As a single item it is none: \(fault)")
        }
        for line in lines {
          if invocation.console.isJSON {
            try invocation.console.object(line)
          } else {
            try invocation.console.json(line)
          }
        }
        let hasBadItems = lines.contains { $0["quarantined"] != nil }
        return invocation.has(strict) && (hasBadItems || payload.fault != nil) ? .failed : .done
      })
  }

  /// What is said of a payload without items.
  private static func nothing(_ kind: Decoding.Kind, _ lists: [String]) -> Phrase {
    guard !lists.isEmpty else { return "The payload has no \(kind.content)." }
    return """
      The payload has no \(kind.content): it is no list of them and not one of them, and as an answer \
      it has none in \(lists.joined(separator: ", ")).
      """
  }
}
