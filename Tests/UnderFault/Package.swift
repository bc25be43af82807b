// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "under-fault",
  dependencies: [.package(name: "engagement-kit", path: "../..")],
  targets: [
    .executableTarget(
      name: "FaultWorker",
      dependencies: [
        "CacheProbe", "EngagementAdapterAPI", "EngagementAtomic", "EngagementBraze",
        "EngagementCurl", "EngagementCleverTap", "EngagementHTTP", "EngagementJSON",
        "EngagementKit", "EngagementVibes",
      ].map { .product(name: $0, package: "engagement-kit") })
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
