import EngagementDocuments
import EngagementModel
import Testing

@Suite("Template definitions") struct TemplateDefinitionsTests {
  private func read(_ text: String) throws(EngagementError) -> [Template] {
    try TemplateDefinitions.parse(Array(text.utf8))
  }

  @Test("C3: templates and functions keep their order, and an object is a group")
  func everything() throws {
    let templates = try read(
      """
      {
        "offer": {"type": "template", "arguments": {
          "title": {"type": "string", "value": "Hello"},
          "count": {"type": "number", "value": 2.5},
          "on": {"type": "boolean", "value": true},
          "map": {"type": "object", "value": {
            "inner": {"type": "string", "value": "x"},
            "deep": {"type": "object", "value": {"n": {"type": "number", "value": 1}}}}},
          "map.file": {"type": "file"},
          "then": {"type": "action"}}},
        "run": {"type": "function", "isVisual": false},
        "empty": {"type": "template", "arguments": {}}
      }
      """)
    #expect(
      templates == [
        try Template.template("offer").string("title", default: "Hello")
          .number("count", default: 2.5).boolean("on", default: true)
          .dictionary("map", default: ["inner": "x", "deep": ["n": 1]]).file("map.file")
          .action("then").template,
        try Template.function("run", isVisual: false).template,
        try Template.template("empty").template,
      ])
  }

  static let wrong: [(document: String, message: String)] = [
    ("[]", "line 1: The document must be an object of template definitions."),
    ("{\n\"a\": 1}", #"line 2: Template "a" must be an object."#),
    ("{\n\n\"a\": {}}", #"line 3: Template "a": the type must be template or function."#),
    (
      "{\"a\": {\"type\": \"card\"}}",
      #"line 1: Template "a": the type must be template or function."#
    ),
    (
      "{\"a\": {\"type\": \"function\"}}",
      #"line 1: Template "a": a function needs isVisual, true or false."#
    ),
    (
      "{\"a\": {\"type\": \"function\", \"isVisual\": 1}}",
      #"line 1: Template "a": a function needs isVisual, true or false."#
    ),
    (
      "{\"a\": {\"type\": \"template\",\n \"arguments\": []}}",
      #"line 2: Template "a": arguments must be an object."#
    ),
    (
      "{\"a\": {\"type\": \"template\",\n \"vars\": {}}}",
      #"line 2: Template "a": "vars" is not a known key; did you mean "arguments"?"#
    ),
    (
      "{\"a\": {\"type\": \"template\",\n\n \"argument\": {}}}",
      #"line 3: Template "a": "argument" is not a known key; did you mean "arguments"?"#
    ),
    (
      "{\"a\": {\"type\": \"template\", \"colour\": 1}}",
      #"line 1: Template "a": "colour" is not a known key; there is "type", "isVisual", "arguments"."#
    ),
    (
      argument("{\"type\": \"string\",\n\"defaultValue\": \"x\"}"),
      #"line 5: Template "a", argument "x": "defaultValue" is not a known key; "#
        + #"did you mean "value"?"#
    ),
    (
      argument("{\"type\": \"object\", \"value\": {\n\"y\": {\"typ\": \"string\"}}}"),
      #"line 5: Template "a", argument "x.y": "typ" is not a known key; did you mean "type"?"#
    ),
    (argument("1"), #"line 4: Template "a", argument "x": it must be an object."#),
    (argument("{}"), #"line 4: Template "a", argument "x": the type is missing."#),
    (
      argument(#"{"type": "list"}"#),
      #"line 4: Template "a", argument "x": the type must be string, number, boolean, file, "#
        + "action or object."
    ),
    (
      argument(#"{"type": "string"}"#),
      #"line 4: Template "a", argument "x": the default must be a text."#
    ),
    (
      argument(#"{"type": "number", "value": "1"}"#),
      #"line 4: Template "a", argument "x": the default must be a finite number."#
    ),
    (
      argument(#"{"type": "file", "value": "x"}"#),
      #"line 4: Template "a", argument "x": an argument of type file has no default."#
    ),
    (
      argument(#"{"type": "object"}"#),
      #"line 4: Template "a", argument "x": a dictionary must not be empty."#
    ),
    (
      argument(#"{"type": "object", "value": {}}"#),
      #"line 4: Template "a", argument "x": a dictionary must not be empty."#
    ),
    (
      argument("{\"type\": \"object\", \"value\": {\n\"y\": {\"type\": \"file\"}}}"),
      #"line 5: Template "a", argument "x.y": a dictionary has no file; use a name with a dot."#
    ),
    (
      argument("{\"type\": \"object\", \"value\": {\n\"y\": {\"type\": \"action\"}}}"),
      #"line 5: Template "a", argument "x.y": a dictionary has no action; use a name with a dot."#
    ),
    (
      argument(#"{"type": "boolean", "value": true}"#, named: "x."),
      #"line 4: Template "a", argument "x.": a name must not begin or end with a dot, nor have "#
        + "two dots together."
    ),
    (
      argument("{\"type\": \"file\"},\n\"x.y\": {\"type\": \"file\"}"),
      #"line 5: Template "a", argument "x.y": the name "x" is already defined."#
    ),
    (
      "{\"s \\\" { [\": {\"type\": \"template\"},\n\"a\": {\"type\": \"function\", "
        + "\"isVisual\": true, \"arguments\": {\n\"b\": {\"type\": \"action\"}}}}",
      #"line 3: Template "a", argument "b": a function has no action."#
    ),
  ]

  /// A document with one argument on line 4.
  private static func argument(_ definition: String, named name: String = "x") -> String {
    """
    {
      "a": {"type": "template",
        "arguments": {"first": {"type": "file"},
          "\(name)": \(definition)}}
    }
    """
  }

  @Test("C3: an error names the line, the template, the argument and the rule", arguments: wrong)
  func fault(document: String, message: String) {
    #expect {
      try read(document)
    } throws: { thrown in
      guard let error = thrown as? EngagementError else { return false }
      #expect(error.message == message)
      return error.code == .invalidConfiguration
    }
  }

  @Test("C1: a name of the vendor's own is refused with its line")
  func reserved() {
    let bytes = Array("{\n\"a\": {\"type\": \"template\"},\n\"own\": {}}".utf8)
    #expect {
      try TemplateDefinitions.parse(bytes, reserved: ["own"])
    } throws: {
      ($0 as? EngagementError)?.message
        == #"line 3: Template "own": the name is one of the vendor's own; rename it."#
    }
  }

  @Test("C3: a document that is not JSON names the line and the column")
  func syntax() {
    #expect {
      try read("{\n \"a\": }")
    } throws: { ($0 as? EngagementError)?.message.contains("line 2") == true }
  }
}
