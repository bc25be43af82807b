import EngagementKit
import EngagementModel

extension Command {
  static let track = Command(
    name: ["track"], summary: "record a custom event",
    discussion: """
      It goes to every provider that takes such events; `engage providers --json` lists the kinds
      that each takes. A value is a number where it looks like one, true or false, and else text;
      'zip="04109"' keeps digits text. A template of a campaign that the event makes due is drawn
      and counts as dismissed. A campaign that was due and is not drawn is named with the reason.
      """,
    arguments: [
      Argument(name: "NAME", help: "the name of the event"),
      Argument(
        name: "KEY=VALUE", help: "a property of the event", isOptional: true, repeats: true),
    ],
    options: [.choose],
    examples: [
      Example("engage track viewed_offer", "an event"),
      Example("engage track bought item=tea price=4.5 gift=true", "with properties"),
      Example("engage track viewed_offer --choose open", "and choose an action of its template"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let name = try invocation.argument()
      let properties = try invocation.properties(from: 1)
      return try await invocation.delivering(configuration) { engagement in
        let notes = try invocation.campaignNotes(configuration)
        let receipt = try await engagement.track(name, properties)
        let status = try await invocation.conclude(
          receipt, of: engagement, "track \(name)",
          ["name": .string(name), "properties": .object(properties)])
        try await invocation.presentDueTemplates(of: engagement, notes)
        return status
      }
    })
}
