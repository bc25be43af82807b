import EngagementModel
import Testing

@Suite("Templates: definitions") struct TemplateBuilderTests {
  typealias Shown = Template.Builder<Template.Shown>

  @Test("C1 C2: a builder adds every type of argument, in order, and a dictionary as its leaves")
  func everything() throws {
    let template = try Template.template("offer")
      .boolean("on", default: false).string("text", default: "t").number("count", default: 2)
      .number("ratio", default: 0.5)
      .dictionary("map", default: ["key": "v", "deep": ["n": 1, "b": true]])
      .file("picture").action("then").template
    #expect(template.name == "offer" && template.kind == .template && template.isVisual)
    #expect(
      template.arguments == [
        .init("on", .boolean, defaultValue: false), .init("text", .string, defaultValue: "t"),
        .init("count", .number, defaultValue: 2), .init("ratio", .number, defaultValue: 0.5),
        .init("map.key", .string, defaultValue: "v"),
        .init("map.deep.n", .number, defaultValue: 1),
        .init("map.deep.b", .boolean, defaultValue: true), .init("picture", .file),
        .init("then", .action),
      ])
    let function = try Template.function("run", isVisual: false).file("data").template
    #expect(function.kind == .function && !function.isVisual)
    #expect(try Template("t", .template, isVisual: false).isVisual, "a template is always shown")
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: String
    let build: @Sendable (Shown) throws(EngagementError) -> Shown

    init(
      _ testDescription: String, _ rule: String,
      _ build: @escaping @Sendable (Shown) throws(EngagementError) -> Shown
    ) {
      (self.testDescription, self.rule, self.build) = (testDescription, rule, build)
    }
  }

  private static let dot = "a name must not begin or end with a dot, nor have two dots together"

  static let wrong: [Wrong] = [
    Wrong("an empty name", #"argument "": a name must not be empty"#) {
      builder throws(EngagementError) in try builder.file("")
    },
    Wrong("white space", #"argument " ": a name must not be empty"#) {
      builder throws(EngagementError) in try builder.file(" ")
    },
    Wrong("a dot before", #"argument ".a": \#(dot)"#) {
      builder throws(EngagementError) in try builder.file(".a")
    },
    Wrong("a dot behind", #"argument "a.": \#(dot)"#) {
      builder throws(EngagementError) in try builder.string("a.", default: "")
    },
    Wrong("two dots", #"argument "a..b": \#(dot)"#) {
      builder throws(EngagementError) in try builder.number("a..b", default: 1)
    },
    Wrong("the same name again", #"argument "a": the name "a" is already defined"#) {
      builder throws(EngagementError) in
      try builder.file("a").string("a", default: "")
    },
    Wrong("an argument as a group", #"argument "a.b": the name "a" is already defined"#) {
      builder throws(EngagementError) in
      try builder.file("a").file("a.b")
    },
    Wrong("a deeper group", #"argument "a.b.c.d": the name "a.b" is already defined"#) {
      builder throws(EngagementError) in
      try builder.file("a.b").file("a.b.c.d")
    },
    Wrong("a group as an argument", #"argument "a.b": the name "a.b" is already defined"#) {
      builder throws(EngagementError) in
      try builder.file("a.b.c").action("a.b")
    },
    Wrong("a number without end", #"argument "n": the default must be a finite number"#) {
      builder throws(EngagementError) in try builder.number("n", default: .infinity)
    },
    Wrong("an empty dictionary", #"argument "d": a dictionary must not be empty"#) {
      builder throws(EngagementError) in try builder.dictionary("d", default: [:])
    },
    Wrong("an empty dictionary in another", #"argument "d": a dictionary must not be empty"#) {
      builder throws(EngagementError) in try builder.dictionary("d", default: ["e": [:]])
    },
    Wrong("a list", #"argument "d": "d.l" must be a text, a number, true, false"#) {
      builder throws(EngagementError) in try builder.dictionary("d", default: ["l": [1]])
    },
    Wrong("a null", #"argument "d": "d.e.n" must be a text, a number, true, false"#) {
      builder throws(EngagementError) in
      try builder.dictionary("d", default: ["e": ["n": .null]])
    },
    Wrong("a dictionary's leaf again", #"argument "d.k": the name "d.k" is already defined"#) {
      builder throws(EngagementError) in
      try builder.file("d.k").dictionary("d", default: ["k": 1])
    },
  ]

  @Test("C1 C2: an error names the template, the argument and the rule", arguments: wrong)
  func rule(_ wrong: Wrong) throws {
    let builder = try Template.template("offer")
    #expect {
      _ = try wrong.build(builder)
    } throws: { thrown in
      guard let error = thrown as? EngagementError else { return false }
      return error.code == .invalidArgument
        && error.message.hasPrefix("Template \"offer\", \(wrong.rule)")
    }
  }

  @Test("C2: what dots and dictionaries name is one group; NFC and NFD are two names")
  func groups() throws {
    let one = try Template.template("t").string("g.a", default: "x")
      .dictionary("g", default: ["b": 1, "c": ["d": 2]]).file("g.c.e").template
    #expect(one.arguments.map(\.name) == ["g.a", "g.b", "g.c.d", "g.c.e"])
    let two = try Template.template("t").file("\u{e9}").file("e\u{301}").template
    #expect(two.arguments.count == 2)
  }

  @Test("C1: an empty name of a template is refused", arguments: ["", " \n"])
  func name(name: String) {
    #expect(throws: EngagementError.self) { try Template.template(name) }
    #expect(throws: EngagementError.self) { try Template.function(name, isVisual: true) }
  }

  @Test("C1: a value without a builder keeps the same rules, and a function has no action")
  func values() {
    let wrong: [(Template.Kind, Template.Argument, String)] = [
      (.function, .init("a", .action), "a function has no action"),
      (.template, .init("a", .string), "the default must be a text"),
      (.template, .init("a", .string, defaultValue: 1), "the default must be a text"),
      (.template, .init("a", .number, defaultValue: "1"), "the default must be a finite number"),
      (.template, .init("a", .boolean, defaultValue: 1), "the default must be true or false"),
      (.template, .init("a", .file, defaultValue: "x"), "an argument of type file has no default"),
      (.template, .init("a", .action, defaultValue: [:]), "an argument of type action has no"),
    ]
    for (kind, argument, rule) in wrong {
      #expect {
        try Template("t", kind, arguments: [argument])
      } throws: { thrown in
        (thrown as? EngagementError)?.message.contains(rule) == true
      }
    }
  }
}
