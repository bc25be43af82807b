// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "engagement-kit", path: "..")],
  targets: [
    .target(name: "BenchReport"),
    .executableTarget(
      name: "JSONCursorPeer",
      dependencies: [
        "BenchReport", .product(name: "EngagementAdapterAPI", package: "engagement-kit"),
        .product(name: "EngagementBraze", package: "engagement-kit"),
        .product(name: "EngagementHTTP", package: "engagement-kit"),
        .product(name: "EngagementVibes", package: "engagement-kit"),
      ]),
    .executableTarget(name: "JSONDecoderPeer", dependencies: ["BenchReport"]),
    .target(name: "RequestBench"),
    .executableTarget(
      name: "TransportPeer",
      dependencies: [
        "RequestBench", .product(name: "EngagementCurl", package: "engagement-kit"),
        .product(name: "EngagementHTTP", package: "engagement-kit"),
      ]),
    .executableTarget(name: "URLSessionPeer", dependencies: ["RequestBench"]),
    .executableTarget(
      name: "CachePeer",
      dependencies: ["BenchReport"]
        + [
          "EngagementAdapterAPI", "EngagementHTTP", "EngagementKit", "EngagementTesting",
          "EngagementBraze", "EngagementVibes", "StoreBench",
        ].map { .product(name: $0, package: "engagement-kit") }),
    .executableTarget(
      name: "CampaignPeer",
      dependencies: ["BenchReport"]
        + [
          "CampaignBench", "EngagementCleverTap", "EngagementCurl", "EngagementHTTP",
          "EngagementKit", "EngagementTesting",
        ].map { .product(name: $0, package: "engagement-kit") }),
    .executableTarget(
      name: "LivePeer",
      dependencies: ["BenchReport"]
        + [
          "EngagementAtomic", "EngagementCurl", "EngagementHTTP", "EngagementKit",
          "EngagementTesting",
        ].map { .product(name: $0, package: "engagement-kit") }),
    .executableTarget(
      name: "RoutesPeer",
      dependencies: ["BenchReport"]
        + [
          "EngagementAdapterAPI", "EngagementBraze", "EngagementHTTP", "EngagementKit",
          "EngagementTesting",
        ].map { .product(name: $0, package: "engagement-kit") }),
    .executableTarget(
      name: "TotalsPeer",
      dependencies: ["BenchReport"]
        + ["EngagementBraze", "EngagementHTTP", "EngagementKit"].map {
          .product(name: $0, package: "engagement-kit")
        }),
    .executableTarget(
      name: "CodableCachePeer",
      dependencies: ["BenchReport", .product(name: "CSQLite", package: "engagement-kit")]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
