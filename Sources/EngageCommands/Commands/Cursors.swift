import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage cursors`.
  static let cursors = [listCursors, removeCursors]

  private static let listCursors = Command(
    name: ["cursors", "list"], summary: "list the cursors of exports",
    discussion: """
      A cursor is how far the exports of that name have come: "engage export --cursor NAME". SEQUENCE
      is the last event that it has passed, and BEHIND counts the events that were recorded since.
      No event is removed for its age or for room before every cursor has passed it.
      """,
    examples: [Example("engage cursors", "how far each export has come")], isDefault: true,
    run: { invocation in
      let configuration = try invocation.configurationWithCache()
      let cursors = try await invocation.reading(configuration) { try await $0.exportCursors }
      let newest = try await invocation.looking(configuration) { reader throws(EngagementError) in
        try reader.newestSequence
      }
      var table = Table([
        .init("CURSOR"), .init("SEQUENCE", .trailing), .init("BEHIND", .trailing),
        .init("OF", isFlexible: true), .init("FOLDER", isFlexible: true),
      ])
      for cursor in cursors {
        let behind = max(newest - cursor.sequence, 0)
        table.add([
          Phrase(cursor.name, .bold), "\(cursor.sequence)", "\(behind)", Phrase(cursor.selection),
          Phrase(cursor.folder ?? ""),
        ])
        try invocation.console.object([
          "cursor": .string(cursor.name), "sequence": .integer(cursor.sequence),
          "behind": .integer(behind), "selection": .string(cursor.selection),
          "folder": cursor.folder.map(JSON.string) ?? .null,
        ])
      }
      guard !cursors.isEmpty else {
        invocation.console.note(
          "No export has a cursor; \"engage export --cursor NAME\" begins one.")
        return .done
      }
      try invocation.console.table(table)
      return .done
    })

  private static let removeCursors = Command(
    name: ["cursors", "remove"], summary: "remove cursors of exports",
    discussion: """
      For an export that is not run any more: a cursor that stands still keeps old events from being
      removed. An export of that name begins at the first event again, in another folder.
      """,
    arguments: [Argument(name: "NAME", help: "a cursor of \"engage cursors\"", repeats: true)],
    examples: [Example("engage cursors remove nightly", "one cursor")],
    run: { invocation in
      let names = invocation.arguments(from: 0)
      try await invocation.reading(try invocation.configurationWithCache()) { engagement in
        let known = try await engagement.exportCursors.map(\.name)
        for name in names where !known.contains(name) {
          throw EngagementError(
            .notFound, "There is no cursor \"\(name)\"" + NearestName.hint(for: name, among: known))
        }
        for name in names { try await engagement.removeExportCursor(named: name) }
      }
      for name in names {
        try invocation.console.line("The cursor \(name) is removed.")
        try invocation.console.object(["removed": .string(name)])
      }
      return .done
    })
}
