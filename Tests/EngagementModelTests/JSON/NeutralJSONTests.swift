import EngagementModel
import Testing

@Suite("The neutral JSON of every model type")
struct NeutralJSONTests {
  @Test("a full value prints every field in the documented order", arguments: Noun.all)
  func full(noun: Noun) {
    #expect(noun.full.printed == noun.fullText)
  }

  @Test("an empty value prints its required members and no null", arguments: Noun.all)
  func empty(noun: Noun) {
    #expect(noun.empty.printed == noun.emptyText)
  }

  @Test("a printed value reads back equal", arguments: Noun.all)
  func restored(noun: Noun) throws {
    #expect(try noun.isRestored())
  }

  @Test("a value that was read prints the same text again", arguments: Noun.all)
  func reprinted(noun: Noun) throws {
    #expect(try noun.reprint(noun.full).printed == noun.fullText)
    #expect(try noun.reprint(noun.empty).printed == noun.emptyText)
  }

  /// Without this, a property that somebody adds could stay out of the encoding unnoticed.
  @Test("the full value of each type sets every property but the handle", arguments: Noun.all)
  func complete(noun: Noun) {
    #expect(noun.unfilled.filter { !["handle", "contentKey"].contains($0) } == [])
  }

  @Test("a member of a wrong type is an error that names it", arguments: Noun.all)
  func wrongType(noun: Noun) {
    let values: [JSON] = [.null, true, 7, 7.5, "text", [7], ["x": 7]]
    for member in noun.full.object?.members ?? [] {
      for value in values where value.typeName != member.value.typeName {
        let place = "\(noun.name).\(member.key)"
        expectFault(place, "\(place) as \(value.typeName)") {
          try noun.reprint(noun.full.replacing(member.key, with: value))
        }
      }
    }
  }

  @Test("a missing required member is an error that names it", arguments: Noun.all)
  func missing(noun: Noun) throws {
    for member in noun.full.object?.members ?? [] {
      let json = noun.full.replacing(member.key, with: nil)
      if noun.required.contains(member.key) {
        expectFault("\(noun.name).\(member.key)", "without \(member.key)") {
          try noun.reprint(json)
        }
      } else {
        #expect(throws: Never.self) { try noun.reprint(json) }
      }
    }
  }

  @Test("unknown members are ignored", arguments: Noun.all)
  func unknown(noun: Noun) throws {
    let json = noun.full.replacing("unheard-of", with: ["schema": [.null]])
    #expect(try noun.reprint(json).printed == noun.fullText)
  }

  @Test("anything but an object is an error that names the type", arguments: Noun.all)
  func noObject(noun: Noun) {
    for json: JSON in [.null, true, 1, "text", []] {
      expectFault(noun.name, json.typeName) { try noun.reprint(json) }
    }
  }
}

/// Expects `invalidArgument` with the place in its message.
func expectFault(
  _ place: String, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> JSON
) {
  let error = #expect(
    throws: EngagementError.self, "\(comment)", sourceLocation: sourceLocation
  ) { _ = try body() }
  #expect(error?.code == .invalidArgument, "\(comment)", sourceLocation: sourceLocation)
  #expect(
    error?.message.contains(place) == true, "\(comment): \(error?.message ?? "")",
    sourceLocation: sourceLocation)
}
