// swift-tools-version: 6.2
import PackageDescription

/// An executable that libFuzzer drives. SwiftPM gives `main` another name, so the linker is told
/// about the fuzzer and the target's `main.swift` starts it.
func fuzzTarget(_ name: String, products: String...) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["FuzzDriver"]
      + products.map { .product(name: $0, package: "engagement-kit") },
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])])
}

let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "engagement-kit", path: "../..")],
  targets: [
    .target(name: "FuzzDriver"),
    fuzzTarget("answers", products: "AnswerProbe", "EngagementAdapterAPI", "JSONOracle"),
    fuzzTarget("campaigns", products: "AnswerProbe"),
    fuzzTarget(
      "export", products: "EngagementAnalytics", "EngagementCompression", "EngagementJSON",
      "EngagementModel", "TestSupport"),
    fuzzTarget("http", products: "EngagementHTTP"),
    fuzzTarget("json", products: "JSONOracle", "TestSupport"),
    fuzzTarget("websocket", products: "EngagementHTTP"),
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
