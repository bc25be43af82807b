import Foundation
import Testing

/// What a switch with a `default:` may be over: a value that has no list of cases of ours.
private enum Reason: CaseIterable {
  case bytes, numbers, words, openTypes, constantsOfC, standardLibrary
}

/// Every `default:` of the product by file, with how many there are and what they are over.
private let allowed: [(reason: Reason, counts: [String: Int])] = [
  (
    .bytes,
    [
      "Adapters/Braze/BrazeItems.swift": 1, "Sources/EngagementFormats/Text/Hex.swift": 1,
      "Sources/EngagementFormats/Time/ISO8601+Durations.swift": 1,
      "Sources/EngagementHTTP/ASCII.swift": 3,
      "Sources/EngagementHTTP/URLs/HTTPURL+Building.swift": 2,
      "Sources/EngagementHTTP/WebSocket/UTF8Validator.swift": 2,
      "Sources/EngagementJSON/Items/JSONFields.swift": 2,
      "Sources/EngagementJSON/JSONKind.swift": 1,
      "Sources/EngagementJSON/Scanning/Scanner+Text.swift": 4,
      "Sources/EngagementJSON/Scanning/Scanner.swift": 3,
      "Sources/EngagementStore/Recovery/PageRecords.swift": 3,
      "Sources/EngagementStore/Recovery/SalvagedRows.swift": 1,
      "Sources/EngagementJSON/Scanning/Sound+JSON.swift": 1,
      "Sources/EngagementJSON/Scanning/Sound.swift": 2,
      "Sources/EngagementJSON/Scanning/Unescaped.swift": 1,
      "Sources/EngagementJSON/Writing/JSONEscape.swift": 1,
      "Sources/EngagementJSON/Writing/JSONWriter.swift": 1,
      "Sources/EngagementModel/Links/VendorURL.swift": 1,
      "Adapters/Vibes/VibesLooseObject.swift": 3,
      "Sources/EngageCommands/Terminal/SafeText.swift": 2,
      "Sources/EngagementAnalytics/ClickHouse/ClickHouseText.swift": 1,
    ]
  ),
  (
    .numbers,
    [
      "Adapters/Atomic/AtomicErrors.swift": 1, "Adapters/Braze/BrazeErrors.swift": 1,
      "Adapters/CleverTap/CleverTapErrors.swift": 1,
      "Adapters/CleverTap/Tools/CleverTapItem.swift": 1,
      "Sources/EngageCommands/ClickHouse/ClickHouseClient.swift": 1,
      "Sources/EngageCommands/Terminal/DisplayWidth.swift": 1,
      "Sources/EngagementAnalytics/ClickHouse/ClickHouseCounts.swift": 1,
      "Sources/EngagementAnalytics/ClickHouse/ClickHouseFault.swift": 1,
      "Sources/EngagementFiles/Download/FileDownload.swift": 1,
      "Sources/EngagementFormats/Time/CivilDay.swift": 1,
      "Sources/EngagementHTTP/Transport/SocketClose.swift": 1,
      "Sources/EngagementHTTP/WebSocket/WebSocketEncoder.swift": 1,
      "Sources/EngagementHTTP/WebSocket/WebSocketHandshake.swift": 1,
      "Sources/EngagementHTTP/WebSocket/WebSocketHeaderReader.swift": 2,
      "Sources/EngagementTesting/Adapters/MemoryResponses.swift": 1,
    ]
  ),
  (
    .words,
    [
      "Sources/EngagementStore/Push/PushStateTable.swift": 1,
      "Adapters/Atomic/AtomicButtons.swift": 1, "Adapters/Atomic/AtomicDateFormat.swift": 1,
      "Adapters/Atomic/AtomicNodes.swift": 1, "Adapters/Atomic/AtomicServerMessage.swift": 8,
      "Adapters/CleverTap/Tools/CleverTapItem.swift": 1,
      "Adapters/CleverTap/Tools/CleverTapServer+Events.swift": 1,
      "Adapters/CleverTap/Tools/CleverTapServer+Templates.swift": 1,
      "Adapters/CleverTap/Tools/CleverTapServer.swift": 1,
      "Adapters/Braze/BrazeReply.swift": 1,
      "Adapters/Braze/Tools/BrazeServer+Events.swift": 3,
      "Adapters/Braze/Tools/BrazeServer.swift": 1,
      "Adapters/CleverTap/CleverTapCampaigns.swift": 1,
      "Adapters/CleverTap/CleverTapOccurrences.swift": 1,
      "Adapters/CleverTap/CleverTapReply.swift": 1,
      "Adapters/Vibes/Tools/VibesServer+Devices.swift": 1,
      "Adapters/Vibes/Tools/VibesServer.swift": 1,
      "Sources/EngageCommands/Commands/PersonCommands.swift": 1,
      "Sources/EngageCommands/Templates/CampaignOverview.swift": 1,
      "Sources/EngagementAdapterAPI/Operations/Operation+JSON.swift": 1,
      "Sources/EngagementEmulator/Control/ControlAPI.swift": 2,
      "Sources/EngagementModel/Actions/ItemAction+JSON.swift": 1,
      "Sources/EngagementStore/Outbox/DeliveryCountTable.swift": 1,
      "Sources/EngagementStore/Outbox/StoredRow.swift": 1,
      "Sources/EngagementTesting/Adapters/MemoryServer.swift": 1,
    ]
  ),
  (
    .openTypes,
    [
      "Sources/EngagementKit/Routes/RoutePlace.swift": 1,
      "Adapters/Braze/BrazeBlocklists.swift": 1, "Adapters/Braze/BrazeEvents.swift": 2,
      "Adapters/CleverTap/CleverTapEvents.swift": 1,
      "Sources/EngagementKit/Outbox/DeliveryQueue.swift": 1,
      "Sources/EngagementKit/Refreshing/Refresher.swift": 1,
      "Sources/EngagementStore/Items/ItemMapper.swift": 1,
      "Sources/EngagementEmulator/Control/ControlAPI.swift": 1,
      "Sources/EngagementTesting/Adapters/MemoryRequests.swift": 1,
      "Sources/EngagementTesting/Adapters/MemoryResponses.swift": 1,
      "Sources/EngagementTesting/Laws/LawScenario+Operations.swift": 2,
      "Sources/EngagementTesting/Laws/Mapping.swift": 1,
    ]
  ),
  (
    .constantsOfC,
    [
      "Sources/EngageCommands/Tool/Interrupts.swift": 1,
      "Sources/EngagementCurl/Failures/Failure+Explaining.swift": 3,
      "Sources/EngagementDocuments/DocumentFault.swift": 1,
      "Sources/EngagementDocuments/JanssonTree.swift": 1,
      "Sources/EngagementEmulator/Server/LoopbackSocket.swift": 1,
      "Sources/EngagementStore/SQLite/ResultCode.swift": 2,
    ]
  ),
  (
    .standardLibrary,
    [
      "Sources/EngageCommands/Commands/PushCommands.swift": 1,
      "Sources/EngageCommands/Configuration/ConfigurationReader+Routes.swift": 1,
      "Sources/EngageCommands/Configuration/SecretReader.swift": 1,
      "Sources/EngageCommands/Items/Card+Offers.swift": 1,
      "Sources/EngageCommands/Terminal/DisplayWidth.swift": 1,
      "Sources/EngageCommands/Terminal/SafeText.swift": 2,
      "Sources/EngagementKit/Logging/LinesLogger.swift": 1,
      "Sources/EngagementModel/Cards/CardForm+Rules.swift": 1,
    ]
  ),
]

private let root = URL(filePath: #filePath).resolvingSymlinksInPath()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// How many switches of each product file have a `default:`, by the file's path in the package.
private func found() throws -> [String: Int] {
  var counts: [String: Int] = [:]
  for folder in ["Sources", "Adapters"] {
    let walk = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: nil)
    for file in walk?.compactMap({ $0 as? URL }) ?? [] where file.pathExtension == "swift" {
      let path = String(file.resolvingSymlinksInPath().path.dropFirst(root.path.count + 1))
      let text = try String(contentsOf: file, encoding: .utf8)
      counts[path] = text.matches(of: /(?m)^[ \t]*default:/).count
    }
  }
  return counts
}

@Suite struct SwitchTests {
  @Test("a switch over an enum of the package has no default")
  func noDefaults() throws {
    var expected: [String: Int] = [:]
    for (_, counts) in allowed { expected.merge(counts, uniquingKeysWith: +) }
    let found = try found()
    #expect(found.count > 500)
    for (path, count) in found.sorted(by: { $0.key < $1.key }) {
      #expect(
        count == expected[path, default: 0],
        "\(path): list the cases, or say in this test what the switch is over")
    }
    #expect(Set(expected.keys).subtracting(found.keys).isEmpty)
  }

  @Test("X2: only the plan of a route switches over the route")
  func onlyRoutePlan() throws {
    // A pattern with a payload, or one that is compared: a strategy of a route has neither.
    let pattern = /case (?:let )?\.(?:only|merge|firstReady|mirror|shadow|split)(?:\(| = )/
    let kit = root.appending(path: "Sources/EngagementKit")
    let walk = FileManager.default.enumerator(at: kit, includingPropertiesForKeys: nil)
    var found: Set<String> = []
    for file in walk?.compactMap({ $0 as? URL }) ?? [] where file.pathExtension == "swift" {
      if try String(contentsOf: file, encoding: .utf8).contains(pattern) {
        found.insert(file.lastPathComponent)
      }
    }
    // The worker's cases are of a batch of deliveries.
    #expect(found == ["RoutePlan.swift", "DeliveryWorker.swift"])
  }
}
