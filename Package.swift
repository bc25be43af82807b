// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "engagement-kit",
  products: [
    .library(name: "EngagementKit", targets: ["EngagementKit"]),
    .library(name: "EngagementCurl", targets: ["EngagementCurl"]),
    .library(name: "EngagementHTTP", targets: ["EngagementHTTP"]),
    .library(name: "EngagementDocuments", targets: ["EngagementDocuments"]),
    .library(name: "EngagementJSON", targets: ["EngagementJSON"]),
    .library(name: "EngagementAnalytics", targets: ["EngagementAnalytics"]),
    .library(name: "EngagementCompression", targets: ["EngagementCompression"]),
    .library(name: "EngagementAdapterAPI", targets: ["EngagementAdapterAPI"]),
    .library(name: "EngagementAtomic", targets: ["EngagementAtomic"]),
    .library(name: "EngagementBraze", targets: ["EngagementBraze"]),
    .library(name: "EngagementCleverTap", targets: ["EngagementCleverTap"]),
    .library(name: "EngagementVibes", targets: ["EngagementVibes"]),
    .library(name: "EngagementTesting", targets: ["EngagementTesting"]),
    .library(name: "EngagementVendors", targets: ["EngagementVendors"]),
    .library(name: "EngagementEmulator", targets: ["EngagementEmulator"]),
    .library(name: "EngageCommands", targets: ["EngageCommands"]),
    .library(name: "EngagementAtomicTools", targets: ["EngagementAtomicTools"]),
    .library(name: "EngagementBrazeTools", targets: ["EngagementBrazeTools"]),
    .library(name: "EngagementVibesTools", targets: ["EngagementVibesTools"]),
    .library(name: "EngagementCleverTapTools", targets: ["EngagementCleverTapTools"]),
  ],
  targets: [
    // MARK: C libraries
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    // MARK: Values
    .target(name: "EngagementPlatform"),
    .target(
      name: "EngagementFormats",
      dependencies: [
        .target(name: "CCrypto", condition: .when(platforms: [.linux])), "EngagementPlatform",
      ]),
    .target(name: "EngagementModel", dependencies: ["EngagementFormats", "EngagementPlatform"]),

    // MARK: Bytes
    .target(
      name: "EngagementJSON",
      dependencies: ["EngagementFormats", "EngagementModel", "EngagementPlatform"]),
    .target(
      name: "EngagementDocuments",
      dependencies: ["CJansson", "EngagementModel", "EngagementPlatform"]),
    .target(
      name: "EngagementHTTP",
      dependencies: ["EngagementFormats", "EngagementModel", "EngagementPlatform"]),
    .target(
      name: "EngagementCurl",
      dependencies: [
        "CCurl", "COpenSSL", "EngagementHTTP", "EngagementModel", "EngagementPlatform",
      ]),

    .target(
      name: "EngagementCompression",
      dependencies: ["CZlib", "CZstd", "EngagementModel", "EngagementPlatform"]),

    // MARK: What the records of several vendors say
    .target(
      name: "EngagementAnalytics",
      dependencies: [
        "EngagementCompression", "EngagementFormats", "EngagementJSON", "EngagementModel",
        "EngagementPlatform",
      ]),

    // MARK: Files that campaigns name
    .target(
      name: "EngagementFiles",
      dependencies: [
        "EngagementFormats", "EngagementHTTP", "EngagementModel", "EngagementPlatform",
      ]),

    // MARK: The adapter interface
    .target(
      name: "EngagementAdapterAPI",
      dependencies: [
        "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementModel",
        "EngagementPlatform",
      ]),

    // MARK: Store and kit
    .target(
      name: "EngagementStore",
      dependencies: [
        "CSQLite", "EngagementAdapterAPI", "EngagementFormats", "EngagementJSON", "EngagementModel",
        "EngagementPlatform",
      ]),
    .target(
      name: "EngagementKit",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFiles", "EngagementFormats", "EngagementHTTP",
        "EngagementJSON",
        "EngagementModel", "EngagementPlatform", "EngagementStore",
      ]),

    // MARK: Vendors
    .target(
      name: "EngagementAtomic",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementPlatform",
      ], path: "Adapters/Atomic", exclude: ["README.md", "Tools"]),
    .target(
      name: "EngagementBraze",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementPlatform",
      ], path: "Adapters/Braze", exclude: ["README.md", "Tools"]),
    .target(
      name: "EngagementCleverTap",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementPlatform",
      ], path: "Adapters/CleverTap", exclude: ["README.md", "Tools"]),
    .target(
      name: "EngagementVibes",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementPlatform",
      ], path: "Adapters/Vibes", exclude: ["README.md", "Tools"]),

    // MARK: The vendors' servers and registrations
    .target(
      name: "EngagementVendors",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAnalytics", "EngagementFormats", "EngagementHTTP",
        "EngagementJSON",
        "EngagementModel", "EngagementPlatform",
      ]),
    .target(
      name: "EngagementAtomicTools",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAtomic", "EngagementFormats", "EngagementHTTP",
        "EngagementJSON", "EngagementModel", "EngagementPlatform", "EngagementVendors",
      ], path: "Adapters/Atomic/Tools", exclude: ["README.md"]),
    .target(
      name: "EngagementBrazeTools",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAnalytics", "EngagementBraze", "EngagementFormats",
        "EngagementJSON",
        "EngagementModel", "EngagementPlatform", "EngagementVendors",
      ], path: "Adapters/Braze/Tools"),
    .target(
      name: "EngagementVibesTools",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFormats", "EngagementJSON", "EngagementModel",
        "EngagementPlatform", "EngagementVendors", "EngagementVibes",
      ], path: "Adapters/Vibes/Tools"),
    .target(
      name: "EngagementCleverTapTools",
      dependencies: [
        "EngagementCleverTap",
        "EngagementAdapterAPI", "EngagementAnalytics", "EngagementFormats", "EngagementJSON",
        "EngagementModel",
        "EngagementPlatform", "EngagementVendors",
      ], path: "Adapters/CleverTap/Tools", exclude: ["README.md"]),
    .target(
      name: "EngagementEmulator",
      dependencies: [
        "CMicrohttpd", "EngagementDocuments", "EngagementFormats", "EngagementHTTP",
        "EngagementJSON", "EngagementModel", "EngagementPlatform", "EngagementVendors",
      ]),

    // MARK: The command line
    .target(
      name: "EngageCommands",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAnalytics", "EngagementCompression", "EngagementCurl",
        "EngagementDocuments", "EngagementEmulator",
        "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementPlatform", "EngagementVendors",
      ]),
    .executableTarget(
      name: "engage",
      dependencies: [
        "EngageCommands", "EngagementAtomicTools", "EngagementBrazeTools",
        "EngagementCleverTapTools", "EngagementPlatform", "EngagementVendors",
        "EngagementVibesTools",
      ]),

    // MARK: Testing and examples
    .target(
      name: "EngagementTesting",
      dependencies: [
        "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementPlatform", "EngagementVendors",
      ]),
    .target(name: "TestSupport", path: "Tests/Support"),
    .target(
      name: "TestDisk", dependencies: ["CSQLite", "EngagementModel"], path: "Tests/Disk"),
    .target(
      name: "TestServers", dependencies: ["COpenSSL", "EngagementModel"], path: "Tests/Servers"),
    .target(
      name: "JSONOracle",
      dependencies: [
        "EngagementDocuments", "EngagementJSON", "EngagementModel", "TestSupport",
      ],
      path: "Tests/Oracle"),
    .target(
      name: "AnswerProbe",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAtomic", "EngagementBraze", "EngagementCleverTap",
        "EngagementDocuments", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementVibes",
      ], path: "Tests/AnswerProbe"),
    .target(
      name: "AtomicFixtures",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAtomic", "EngagementFormats", "EngagementHTTP",
        "EngagementJSON", "EngagementModel", "EngagementTesting",
      ], path: "Tests/AtomicFixtures"),
    .target(
      name: "BrazeFixtures",
      dependencies: [
        "EngagementAdapterAPI", "EngagementBraze", "EngagementModel", "EngagementTesting",
      ], path: "Tests/BrazeFixtures"),
    .target(
      name: "VibesFixtures",
      dependencies: [
        "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementModel",
        "EngagementTesting", "EngagementVibes",
      ], path: "Tests/VibesFixtures"),
    .target(
      name: "CleverTapFixtures",
      dependencies: [
        "EngagementAdapterAPI", "EngagementCleverTap", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementTesting",
      ], path: "Tests/CleverTapFixtures"),
    .target(
      name: "VendorEventFixtures",
      dependencies: ["EngagementAnalytics", "EngagementJSON", "EngagementModel"],
      path: "Tests/VendorEventFixtures"),
    .target(
      name: "CacheProbe",
      dependencies: ["EngagementAdapterAPI", "EngagementModel", "EngagementStore"],
      path: "Tests/CacheProbe"),
    .executableTarget(
      name: "Quickstart",
      dependencies: [
        "EngagementBraze", "EngagementBrazeTools", "EngagementCurl", "EngagementEmulator",
        "EngagementKit", "EngagementModel", "EngagementVendors",
      ], path: "Examples/Quickstart"),
    .executableTarget(
      name: "MoveFromBraze",
      dependencies: [
        "EngagementBraze", "EngagementBrazeTools", "EngagementCurl", "EngagementEmulator",
        "EngagementJSON", "EngagementKit", "EngagementModel", "EngagementVendors",
      ], path: "Examples/MoveFromBraze"),
    .executableTarget(
      name: "MoveFromVibes",
      dependencies: [
        "EngagementCurl", "EngagementEmulator", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementVendors", "EngagementVibes", "EngagementVibesTools",
      ], path: "Examples/MoveFromVibes"),
    .executableTarget(
      name: "MoveFromCleverTap",
      dependencies: [
        "EngagementCleverTap", "EngagementCleverTapTools", "EngagementCurl",
        "EngagementEmulator", "EngagementJSON", "EngagementKit", "EngagementModel",
        "EngagementVendors",
      ], path: "Examples/MoveFromCleverTap"),
    .executableTarget(
      name: "MoveFromAtomic",
      dependencies: [
        "EngagementAtomic", "EngagementAtomicTools", "EngagementCurl", "EngagementEmulator",
        "EngagementJSON", "EngagementKit", "EngagementModel", "EngagementVendors",
      ], path: "Examples/MoveFromAtomic"),
    .target(
      name: "Orchard",
      dependencies: [
        "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementModel",
        "EngagementPlatform", "EngagementVendors",
      ], path: "Examples/OwnVendor/Orchard"),
    .executableTarget(
      name: "OwnVendor",
      dependencies: [
        "EngageCommands", "EngagementAtomicTools", "EngagementBrazeTools",
        "EngagementCleverTapTools", "EngagementPlatform", "EngagementVendors",
        "EngagementVibesTools", "Orchard",
      ], path: "Examples/OwnVendor", exclude: ["Orchard"]),
    .executableTarget(
      name: "CompareVendors",
      dependencies: [
        "EngagementAnalytics", "EngagementBraze", "EngagementBrazeTools", "EngagementCurl",
        "EngagementEmulator", "EngagementKit", "EngagementModel", "EngagementVendors", "Orchard",
      ], path: "Examples/CompareVendors"),
    .executableTarget(
      name: "CombinedInbox",
      dependencies: [
        "EngagementBraze", "EngagementBrazeTools", "EngagementCurl", "EngagementEmulator",
        "EngagementJSON", "EngagementKit", "EngagementModel", "EngagementVendors",
        "EngagementVibes", "EngagementVibesTools",
      ], path: "Examples/CombinedInbox"),
    .executableTarget(
      name: "FailOver",
      dependencies: [
        "EngagementBraze", "EngagementBrazeTools", "EngagementCurl", "EngagementEmulator",
        "EngagementKit", "EngagementModel", "EngagementVendors", "Orchard",
      ], path: "Examples/FailOver"),
    .executableTarget(
      name: "SwitchVendor",
      dependencies: [
        "EngagementBraze", "EngagementBrazeTools", "EngagementCurl", "EngagementEmulator",
        "EngagementKit", "EngagementModel", "EngagementVendors", "Orchard",
      ], path: "Examples/SwitchVendor"),
    .executableTarget(
      name: "MoveBetweenVendors",
      dependencies: [
        "EngagementBraze", "EngagementBrazeTools", "EngagementCurl", "EngagementEmulator",
        "EngagementKit", "EngagementModel", "EngagementVendors", "Orchard",
      ], path: "Examples/MoveBetweenVendors"),
    .executableTarget(
      name: "NightlyExport",
      dependencies: [
        "EngagementAnalytics", "EngagementBraze", "EngagementBrazeTools", "EngagementCompression",
        "EngagementCurl", "EngagementEmulator", "EngagementKit",
        "EngagementModel", "EngagementVendors",
      ], path: "Examples/NightlyExport"),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "CombinedInbox", "CompareVendors", "EngagementAdapterAPI", "EngagementJSON",
        "EngagementModel", "EngagementTesting",
        "EngagementVendors", "FailOver", "MoveBetweenVendors", "MoveFromAtomic", "MoveFromBraze",
        "MoveFromCleverTap",
        "MoveFromVibes", "NightlyExport", "Orchard", "OwnVendor", "Quickstart", "SwitchVendor",
        "TestSupport",
      ]),
    .testTarget(name: "ArchitectureTests"),
    .testTarget(
      name: "GuideTests",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAnalytics", "EngagementAtomic", "EngagementBraze",
        "EngagementBrazeTools", "EngagementCleverTap", "EngagementCurl", "EngagementEmulator",
        "EngagementKit",
        "EngagementModel", "EngagementVendors", "EngagementVibes", "EngagementVibesTools",
      ], exclude: ["NotNeeded.txt"]),
    .testTarget(
      name: "EngageCommandsTests",
      dependencies: [
        "EngageCommands", "EngagementAnalytics", "EngagementAtomicTools", "EngagementBrazeTools",
        "EngagementCleverTapTools", "EngagementCurl",
        "EngagementEmulator", "EngagementHTTP", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementVendors", "EngagementVibes", "EngagementVibesTools",
        "TestServers", "TestSupport", "engage",
      ], exclude: ["Golden"]),
    .testTarget(
      name: "EngagementFormatsTests", dependencies: ["EngagementFormats", "TestSupport"]),
    .testTarget(
      name: "EngagementModelTests",
      dependencies: ["EngagementFormats", "EngagementModel", "TestSupport"]),
    .testTarget(
      name: "EngagementJSONTests",
      dependencies: ["EngagementJSON", "EngagementModel", "TestSupport"]),
    .testTarget(
      name: "EngagementDocumentsTests", dependencies: ["EngagementDocuments", "EngagementModel"]),
    .testTarget(
      name: "OracleTests",
      dependencies: ["EngagementJSON", "EngagementModel", "JSONOracle", "TestSupport"]),
    .testTarget(
      name: "EngagementEmulatorTests",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAtomicTools", "EngagementBrazeTools",
        "EngagementCleverTapTools",
        "EngagementCurl", "EngagementEmulator", "EngagementFormats", "EngagementHTTP",
        "EngagementJSON", "EngagementModel", "EngagementVendors", "EngagementVibesTools",
        "TestSupport",
      ]),
    .testTarget(
      name: "EngagementHTTPTests",
      dependencies: ["EngagementFormats", "EngagementHTTP", "EngagementModel", "TestSupport"]),
    .testTarget(
      name: "EngagementCurlTests",
      dependencies: [
        "COpenSSL", "EngagementCurl", "EngagementFormats", "EngagementHTTP", "EngagementModel",
        "TestServers", "TestSupport",
      ], exclude: ["Socket/websockets_peer.py"]),
    .testTarget(
      name: "EngagementFilesTests",
      dependencies: [
        "EngagementCurl", "EngagementFiles", "EngagementFormats", "EngagementHTTP",
        "EngagementModel", "TestServers",
      ]),
    .testTarget(
      name: "EngagementCompressionTests",
      dependencies: ["EngagementCompression", "EngagementModel", "TestSupport"]),
    .testTarget(
      name: "EngagementAnalyticsTests",
      dependencies: [
        "EngagementAnalytics", "EngagementCompression", "EngagementJSON", "EngagementModel",
        "TestSupport", "VendorEventFixtures",
      ], exclude: ["Parquet/read_parquet.py", "Parquet/rewrite_parquet.py"]),
    .testTarget(
      name: "EngagementAdapterAPITests", dependencies: ["EngagementAdapterAPI", "EngagementModel"]),
    .testTarget(
      name: "EngagementAtomicTests",
      dependencies: [
        "AtomicFixtures", "EngagementAdapterAPI", "EngagementAtomic", "EngagementFormats",
        "EngagementHTTP", "EngagementJSON", "EngagementModel", "EngagementTesting", "TestSupport",
      ]),
    .testTarget(
      name: "EngagementBrazeTests",
      dependencies: [
        "BrazeFixtures", "EngagementAdapterAPI", "EngagementAnalytics", "EngagementBrazeTools",
        "EngagementBraze", "EngagementHTTP",
        "EngagementJSON", "EngagementKit", "EngagementModel", "EngagementTesting",
        "EngagementVendors", "TestSupport", "VendorEventFixtures",
      ]),
    .testTarget(
      name: "EngagementCleverTapTests",
      dependencies: [
        "CleverTapFixtures", "EngagementAdapterAPI", "EngagementAnalytics",
        "EngagementCleverTapTools", "EngagementCleverTap", "EngagementFormats",
        "EngagementHTTP", "EngagementJSON", "EngagementModel", "EngagementTesting",
        "EngagementVendors", "TestSupport", "VendorEventFixtures",
      ]),
    .testTarget(
      name: "EngagementVibesTests",
      dependencies: [
        "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementKit", "EngagementModel", "EngagementTesting", "EngagementVibes", "TestSupport",
        "VibesFixtures",
      ]),
    .testTarget(
      name: "EngagementStoreTests",
      dependencies: [
        "CSQLite", "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
        "EngagementModel", "EngagementStore", "TestDisk", "TestSupport",
      ], exclude: ["Fixtures"]),
    .testTarget(
      name: "EngagementKitTests",
      dependencies: [
        "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementStore", "EngagementTesting", "TestDisk", "TestSupport",
      ]),
    .testTarget(
      name: "LawTests",
      dependencies: [
        "EngagementAdapterAPI", "EngagementAtomic", "EngagementAtomicTools", "EngagementBraze",
        "EngagementBrazeTools", "EngagementCleverTapTools", "EngagementCleverTap",
        "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementPlatform", "EngagementTesting", "EngagementVendors",
        "EngagementVibes", "EngagementVibesTools", "TestSupport",
      ]),
    .testTarget(
      name: "ModelTests",
      dependencies: [
        "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementKit",
        "EngagementModel", "EngagementStore", "EngagementTesting", "TestSupport",
      ]),
    .testTarget(
      name: "WireTests",
      dependencies: [
        "AtomicFixtures", "EngagementAdapterAPI", "EngagementAtomic", "EngagementAtomicTools",
        "EngagementBraze", "EngagementBrazeTools",
        "EngagementCleverTap", "EngagementCleverTapTools", "EngagementCurl", "EngagementEmulator",
        "EngagementFormats",
        "EngagementHTTP", "EngagementJSON", "EngagementKit", "EngagementModel",
        "EngagementTesting", "EngagementVendors", "EngagementVibes", "EngagementVibesTools",
        "TestSupport",
      ]),
    .testTarget(
      name: "FlowTests",
      dependencies: [
        "AnswerProbe", "AtomicFixtures", "BrazeFixtures", "CleverTapFixtures",
        "EngagementAdapterAPI", "EngagementAtomic", "EngagementBraze", "EngagementCleverTap",
        "EngagementFormats", "EngagementHTTP",
        "EngagementJSON", "EngagementKit", "EngagementModel", "EngagementTesting",
        "EngagementVibes", "JSONOracle", "TestSupport", "VibesFixtures",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// MARK: For benchmarks, fuzz targets and tests under fault only

if Context.environment["ENGAGEMENT_WORKSHOP"] != nil {
  package.targets += [
    .target(
      name: "StoreBench",
      dependencies: ["EngagementAdapterAPI", "EngagementModel", "EngagementStore"],
      path: "Benchmarks/Sources/StoreBench"),
    .target(
      name: "CampaignBench",
      dependencies: ["EngagementFiles", "EngagementHTTP", "EngagementModel"],
      path: "Benchmarks/Sources/CampaignBench"),
    .executableTarget(
      name: "FaultWorker",
      dependencies: [
        "CacheProbe", "EngagementAdapterAPI", "EngagementAtomic", "EngagementBraze",
        "EngagementCleverTap", "EngagementCurl", "EngagementHTTP", "EngagementJSON",
        "EngagementKit", "EngagementModel", "EngagementVibes",
      ], path: "Tests/UnderFault/Sources/FaultWorker"),
  ]
  package.products += [
    "AnswerProbe", "CSQLite", "CacheProbe", "CampaignBench", "EngagementModel", "JSONOracle",
    "StoreBench", "TestSupport",
  ].map {
    .library(name: $0, targets: [$0])
  }
}

// MARK: A choice of tests, with what they need alone

if let chosen = Context.environment["ENGAGEMENT_TESTS"] {
  var needed: Set<String> = []
  var next = chosen.split(separator: " ").map { String($0) }
  while let name = next.popLast() {
    guard needed.insert(name).inserted else { continue }
    let target = package.targets.first { $0.name == name }
    for dependency in target?.dependencies ?? [] {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): next.append(name)
      case .productItem: break
      @unknown default: break
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    (product as? Product.Library)?.targets.allSatisfy(needed.contains) != true
  }
}

// MARK: Settings

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .treatAllWarnings(as: .error),
    ]
}
// Tests in release look at optimized modules; optimizing the tests themselves would take longer than
// running them.
for target in package.targets where target.type == .test {
  target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}
for target in package.targets
where [
  "EngagementCompression", "EngagementCurl", "EngagementDocuments", "EngagementEmulator",
  "EngagementFiles", "EngagementStore",
].contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + [.strictMemorySafety()]
}
