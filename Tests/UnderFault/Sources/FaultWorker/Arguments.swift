/// The driver's arguments: `--name value` pairs after the mode.
struct Arguments: Sendable {
  let mode: String
  private var values: [String: String] = [:]

  init(_ words: [String]) {
    guard words.count >= 2 else {
      refuse(
        "usage: FaultWorker loop|script|drain|check|leaving|crowd|erasing|batching --name value …")
    }
    mode = words[1]
    for index in stride(from: 2, to: words.count, by: 2) {
      guard words[index].hasPrefix("--"), index + 1 < words.count else {
        refuse("\(words[index]) is no option with a value")
      }
      values[String(words[index].dropFirst(2))] = words[index + 1]
    }
  }

  func text(_ name: String) -> String {
    guard let value = values[name] else { refuse("--\(name) is missing") }
    return value
  }

  func number(_ name: String, or absent: Int? = nil) -> Int {
    guard let value = values[name] ?? absent.map(String.init), let number = Int(value) else {
      refuse("--\(name) takes a number")
    }
    return number
  }

  func flag(_ name: String) -> Bool { values[name] != nil }
}
