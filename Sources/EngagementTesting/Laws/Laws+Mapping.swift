import EngagementAdapterAPI
import EngagementJSON
import EngagementKit
import EngagementModel

extension Law {
  /// The mapping of an item is a function of its bytes, so most of these laws call the adapter
  /// directly.
  static let mapping = [
    fullestItem, unknownFields, unknownKinds, hostileText, nul, longText, times, surroundings,
  ]

  private static let fullestItem = Law(
    "mapping.fullest-item", "every field of the fullest item arrives"
  ) { subject, findings in
    let adapter = subject.makeAdapter(AdapterSubject.provider)
    for samples in subject.items {
      let surface = samples.feed.surface
      do throws(EngagementError) {
        let neutral = try adapter.neutral(samples.fullest, on: surface)
        for (key, value) in differences(neutral, samples.meaning) {
          findings.note("A field has the wrong value.", "\(surface).\(key): \(value)")
        }
      } catch {
        findings.note("The fullest item is set aside.", "\(surface): \(error)")
      }
    }
  }

  /// The names of the members that differ, with both values.
  private static func differences(_ left: JSON, _ right: JSON) -> [(String, String)] {
    guard let left = left.object, let right = right.object else { return [] }
    let keys = Set((left.members + right.members).map { JSONKey($0.key) })
    return keys.map(\.text).sorted().compactMap { key in
      guard left[key] != right[key] else { return nil }
      let texts = [left[key], right[key]].map { value in
        value.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "nothing"
      }
      return (key, "\(texts[0]) and not \(texts[1])")
    }
  }

  private static let unknownFields = Law(
    "mapping.unknown-fields", "unknown fields are ignored"
  ) { subject, findings in
    let adapter = subject.makeAdapter(AdapterSubject.provider)
    for samples in subject.items {
      guard case .object(let object)? = try? JSON(parsing: samples.fullest) else { continue }
      let strange: [JSON] = [.null, true, 7, "x", ["a"], ["b": ["c": 1]]]
      let added = strange.enumerated().map { place, value in
        JSONObject.Member("never_heard_of_\(place)", value)
      }
      let more = JSON.object(JSONObject(uniqueMembers: added + object.members)).encoded()
      let surface = samples.feed.surface
      let (plain, extended) = (
        try? adapter.neutral(samples.fullest, on: surface), try? adapter.neutral(more, on: surface)
      )
      findings.expect(
        extended == plain, "An unknown field changes an item.", surface.rawValue)
    }
  }

  private static let unknownKinds = Law(
    "mapping.unknown-kinds", "items of an unknown kind are ignored",
    where: \.hasKinds
  ) { subject, findings in
    for samples in subject.items {
      guard let strange = samples.unknownKind else { continue }
      let scenario = try await LawScenario(subject)
      await scenario.server.put(
        [samples.item("a", 0), strange, samples.item("b", 1)], in: samples.feed,
        for: LawScenario.user)
      let outcome = try await scenario.refresh(samples)
      findings.expect(outcome, is: .done, "An unknown kind fails the list.")
      findings.expect(
        try await scenario.visible(samples), is: ["a", "b"], "An unknown kind removes other items.")
      findings.expect(
        try await scenario.quarantined(), is: [], "An unknown kind counts as a fault.")
    }
  }

  // MARK: Texts

  private static let hostileText = Law(
    "mapping.hostile-text", "texts in any script survive byte for byte or are refused"
  ) { subject, findings in
    try tryTexts(HostileText.all, in: subject) { finding in findings.note(finding.0, finding.1) }
  }

  private static let longText = Law(
    "mapping.long-text", "a text of a megabyte survives or is refused"
  ) { subject, findings in
    try tryTexts([HostileText.long], in: subject, most: 6) { finding in
      findings.note(finding.0, finding.1)
    }
  }

  /// Replaces each text of the fullest items by each hostile text. A mapped text must be unchanged
  /// or contain the hostile text whole.
  private static func tryTexts(
    _ texts: [String], in subject: AdapterSubject, most: Int = .max,
    note: ((String, String)) -> Void
  ) throws {
    let adapter = subject.makeAdapter(AdapterSubject.provider)
    for samples in subject.items {
      let item = try JSON(parsing: samples.fullest)
      let before = try adapter.neutral(samples.fullest, on: samples.feed.surface)
      let known = Set(before.texts.map { Array($0.text.utf8) })
      for place in item.texts.prefix(most) {
        for text in texts {
          let bytes = item.replacing(place.path, by: .string(text)).encoded()
          guard let after = try? adapter.neutral(bytes, on: samples.feed.surface) else { continue }
          for found in after.texts
          where !known.contains(Array(found.text.utf8)) && !found.text.holds(text) {
            note(("A text is changed.", "\(place.path) came out at \(found.path)"))
          }
        }
      }
    }
  }

  private static let nul = Law(
    "mapping.nul", "an item with a NUL in it is set aside"
  ) { subject, findings in
    let adapter = subject.makeAdapter(AdapterSubject.provider)
    for samples in subject.items {
      let item = try JSON(parsing: samples.fullest)
      for place in item.texts {
        let bytes = item.replacing(place.path, by: .string(HostileText.nul)).encoded()
        if (try? adapter.neutral(bytes, on: samples.feed.surface)) != nil {
          findings.note("A NUL reached the model.", "\(place.path)")
        }
      }
    }
  }

  // MARK: Times and surroundings

  private static let times = Law(
    "mapping.times", "times keep the vendor's milliseconds"
  ) { subject, findings in
    let adapter = subject.makeAdapter(AdapterSubject.provider)
    for samples in subject.items {
      let neutral = try adapter.neutral(samples.fullest, on: samples.feed.surface)
      for key in ["createdAt", "updatedAt", "activeAt", "expiresAt"] {
        findings.expect(
          neutral[key] == samples.meaning[key], "A time is wrong.",
          "\(samples.feed.surface).\(key)")
      }
    }
  }

  private static let surroundings = Law(
    "mapping.surroundings", "the meaning of an answer does not depend on locale and zone"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let scenario = try await LawScenario(subject)
      await scenario.server.put([samples.fullest], in: samples.feed, for: LawScenario.user)
      try await scenario.refresh(samples)
      guard let request = scenario.transport.requests.last else { continue }
      let response = await scenario.server.answer(request)
      let here = try await scenario.context()
      var abroad = here
      abroad.device.locale = "ar_EG"
      abroad.device.timeZone = "Pacific/Apia"
      abroad.device.zoneOffset = 46_800
      let home = scenario.adapter.answer(to: samples.listing, from: response, in: here)
      let far = scenario.adapter.answer(to: samples.listing, from: response, in: abroad)
      findings.expect(
        home.items == far.items, "Locale or zone changes the meaning of an answer.",
        samples.feed.surface.rawValue)
    }
  }
}

extension Answer {
  /// The items of the answer's changes.
  var items: [RawItem] {
    changes.flatMap { if case .items(_, _, let items) = $0 { items } else { [] as [RawItem] } }
  }
}

extension String {
  /// Whether it contains the bytes of the other text in one piece.
  func holds(_ other: String) -> Bool { Array(utf8).holds(Array(other.utf8)) }
}
