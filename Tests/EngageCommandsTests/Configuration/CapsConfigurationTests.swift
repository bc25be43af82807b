import EngagementKit
import EngagementModel
import EngagementVendors
import Testing

@testable import EngageCommands

@Suite struct CapsConfigurationTests {
  private static func read(_ caps: String) throws -> Engagement.Options.Caps {
    let document = """
      {"providers": {"braze": {"vendor": "braze", "endpoint": "https://a.example", "apiKey": "k"}},
       "caps": \(caps)}
      """
    let secrets = SecretReader(environment: { _ in nil }, folder: "/")
    return try ConfigurationReader(file: "engage.json", secrets: secrets, vendors: .shipped)
      .read(Array(document.utf8)).caps
  }

  @Test("X17: engage.json says all caps and quiet times, and none by default")
  func whole() throws {
    let caps = try Self.read(
      """
      {"perDay": 3, "perSession": 1, "contentPerDay": 1, "contentEver": 0, "held": "never",
       "quietTimes": [{"from": "22:00", "to": "7:30"},
                      {"from": "07:30", "to": "10:00", "days": ["sat", "sun"]}]}
      """)
    #expect(
      caps
        == Engagement.Options.Caps(
          perDay: 3, perSession: 1, contentPerDay: 1, contentEver: 0,
          quietTimes: [
            try .init(fromHour: 22, toHour: 7, toMinute: 30),
            try .init(fromHour: 7, fromMinute: 30, toHour: 10, on: [.saturday, .sunday]),
          ], held: .never))
    #expect(try Self.read("{}") == Engagement.Options.Caps())
  }

  @Test(
    "X17: what is wrong with caps is told by the path of the key",
    arguments: [
      (#"{"perDay": -1}"#, "caps.perDay is -1, which is below zero."),
      (#"{"contentEver": "3"}"#, "caps.contentEver is a string where a whole number belongs."),
      (#"{"perday": 1}"#, #"caps.perday is not a known key; did you mean "perDay"?"#),
      (
        #"{"held": "latter"}"#,
        #"caps.held names "latter", which is no way to hold back; did you mean "later"?"#
      ),
      (#"{"quietTimes": {}}"#, "caps.quietTimes is an object where an array of objects belongs."),
      (#"{"quietTimes": [{"from": "22:00"}]}"#, "caps.quietTimes[0].to is missing."),
      (
        #"{"quietTimes": [{"from": "25:00", "to": "7:00"}]}"#,
        #"caps.quietTimes[0].from is "25:00", which is no time of day; write one such as 22:00."#
      ),
      (
        #"{"quietTimes": [{"from": "7:00", "to": "7:00"}]}"#,
        "caps.quietTimes[0]: A quiet time ends when it begins; give it another end."
      ),
      (
        #"{"quietTimes": [{"from": "7:00", "to": "9:00", "days": []}]}"#,
        "caps.quietTimes[0]: A quiet time has no days."
      ),
      (
        #"{"quietTimes": [{"from": "7:00", "to": "9:00", "days": ["tues"]}]}"#,
        #"caps.quietTimes[0].days[0] names "tues", which is no day; did you mean "tue"?"#
      ),
    ])
  func wrong(caps: String, message: String) {
    let error = #expect(throws: EngagementError.self) { _ = try Self.read(caps) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message == "engage.json: \(message)")
  }
}
