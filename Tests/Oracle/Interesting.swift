/// Values and escapes on which parsers differ.
enum Interesting {
  static let values: [[UInt8]] =
    numbers.map { Array($0.utf8) } + strings.map { Array($0.utf8) } + unsoundStrings

  static let escapes: [[UInt8]] = [
    #"\u0000"#, #"\ud800"#, #"\udc00"#, #"\ud83d\ude00"#, #"\uD83D\u0041"#, #"\ude00\ud83d"#,
    #"\ud83d"#, #"\uDBFF\uDFFF"#, #"\uFFFF"#, #"\u00zz"#, #"\u12"#, #"\x41"#, #"\'"#, #"\"#,
    #"\\"#, #"\""#, #"\U0041"#,
  ].map { Array($0.utf8) }

  private static let numbers = [
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "00", "-", "-0", "01", "-01", "1.", ".5", "+1", "1e", "1e+", "1E400",
    "-1e400", "1e-400", "1e309", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324",
    "2.2250738585072011e-308", "0.1e1", "1e00000000000000000001", "0e999999", "0x10", "NaN",
    "Infinity", "-Infinity", "1_000", "123456789012345678901234567890.5", "9007199254740993.0",
    "0." + String(repeating: "3", count: 400), "1" + String(repeating: "0", count: 310),
    "1" + String(repeating: "0", count: 308) + ".5", "5e-324", "2.4703282292062328e-324",
    "179769313486231580793e289", "8.41e21", "1.00000000000000011102230246251565404",
  ]

  private static let strings = [
    #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"é":1,"\u00e9":2}"#, #"{"":0,"":0}"#,
    #"{"a":{"b":1,"b":1}}"#, #"{"a":[{"a":1},{"a":2}],"b":{"a":3}}"#, #"{"\u0000":1}"#,
    #"{"a":1,}"#, "[1,]", "[,1]", "[1 2]", "{1:2}", #"{"a"}"#, #"{"a":}"#, "'a'", "tru", "nulll",
    "True", "", "\u{feff}1", "/* */1", "\"\u{2028}\"", "\"\u{fffe}\u{ffff}\u{10ffff}\"", "[]]",
    "{}}", "\"a\tb\"", "\"a\u{7f}b\"", "[{},{},{}]",
    "\"" + String(repeating: "ab\\n", count: 80) + "\"",
  ]

  /// Strings with invalid UTF-8: lone, overlong, surrogate, beyond U+10FFFF, cut.
  private static let unsoundStrings: [[UInt8]] = [
    [0x80], [0xff], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf],
    [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98],
    [0xe2, 0x28, 0xa1], [0xc3, 0x5c, 0x6e], [0x00], [0x61, 0x00, 0x62],
  ].map { [0x22] + $0 + [0x22] }
}
