import EngagementJSON
import EngagementModel
import EngagementVendors

extension Command {
  private static let force = Option("force", "overwrite existing files")

  static let initialise = Command(
    name: ["init"], summary: "write a starter engage.json",
    discussion: """
      Its providers point to the emulator, which "engage emulate" runs on this machine on its usual
      ports; for "engage emulate --port", change the endpoints. Replace the endpoints and keys with
      the vendors' own later. The templates that the emulator's campaigns use are in a file beside
      it. A secret is a string, {"env": NAME} or {"file": PATH}. With "certificateAuthorities": PATH,
      a company's own authority is trusted beside the system's. The project's CONFIGURATION.md
      explains every key.
      """,
    options: [force],
    examples: [
      Example("engage init", "in this folder"),
      Example("engage init --config demo.json", "under another name"),
    ],
    run: { invocation in
      let context = invocation.context
      let path = context.path(
        invocation.value(.config) ?? context.environment("ENGAGE_CONFIG") ?? "engage.json")
      let document = Array(StarterDocument(vendors: invocation.vendors).text.utf8)
      if invocation.has(force) {
        try OutputFile.replace(path, document)
      } else {
        do throws(EngagementError) { try OutputFile.create(path, document) } catch {
          guard error.code == .conflict else { throw error }
          throw EngagementError(.conflict, "\(path) is there already; --force writes over it.")
        }
      }
      try invocation.console.line("Wrote \(path, .bold).")
      try invocation.console.object(["written": .string(path)])
      try invocation.writeTemplates(besideConfigurationAt: path, replacing: invocation.has(force))
      try invocation.console.line(
        """
        Next: run "engage emulate" in another terminal, then \
        "engage sync\(invocation.value(.config).map { " --config \($0)" } ?? "")" here.
        """)
      return .done
    })
}

extension Invocation {
  /// Writes the definitions that the starter's providers name. A file that is there stays.
  fileprivate func writeTemplates(
    besideConfigurationAt path: String, replacing: Bool
  ) throws {
    for vendor in vendors.available {
      guard let text = vendor.starterTemplates,
        let name = vendor.starter?["templates"]?.string
      else { continue }
      let place = CommandContext.joined(CommandContext.folder(of: path), name)
      if replacing {
        try OutputFile.replace(place, Array(text.utf8))
      } else {
        do throws(EngagementError) { try OutputFile.create(place, Array(text.utf8)) } catch {
          guard error.code == .conflict else { throw error }
          console.note("\(place) is there already and stays.")
          continue
        }
      }
      try console.line("Wrote \(place, .bold).")
      try console.object(["written": .string(place)])
    }
  }
}

/// The document that `init` writes.
struct StarterDocument {
  let vendors: [VendorRegistration]

  var text: String {
    var text = "{\n"
    text += #"  "cache": "engagement.sqlite","# + "\n"
    text += "  \"user\": \"\(VendorRegistration.starterUser.rawValue)\",\n"
    text += #"  "consent": "full","# + "\n"
    text += "  \"providers\": {\n"
    text += entries.map { "    \"\($0.name)\": \($0.json)" }.joined(separator: ",\n")
    text += "\n  }"
    if !places.isEmpty { text += ",\n  \"containers\": {\"home\": \(Self.line(of: places))}" }
    return text + "\n}\n"
  }

  /// The names of the container `home` at the vendors that have containers.
  private var places: JSONObject {
    var places = JSONObject()
    for vendor in vendors.available where vendor.starter != nil {
      places[vendor.name] = vendor.starterContainer.map(JSON.string)
    }
    return places
  }

  private var entries: [(name: String, json: String)] {
    vendors.available.compactMap { entry in
      entry.starter.map { (entry.name, Self.line(of: $0)) }
    }
  }

  /// On one line, with the spaces that people put there.
  private static func line(of object: JSONObject) -> String {
    let members = object.members.map { member in
      "\"\(member.key)\": \(String(decoding: member.value.encoded(), as: UTF8.self))"
    }
    return "{\(members.joined(separator: ", "))}"
  }
}
