// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target; `docs/architecture.md` says why each is there.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// For modules whose memory the compiler checks strictly; none of them calls C, apart from the drawings of Report.
let pure: [SwiftSetting] = house + [.strictMemorySafety()]

/// C libraries in place of what FencepostGeometry and FencepostJSON do in Swift alone: of Linux, where the service runs.
let native = TargetDependencyCondition.when(platforms: [.linux], traits: ["NativeLibraries"])
/// Where FencepostCoreLocation simulates a device; a build for the Mac has it too, for the trait of that name.
let simulated = TargetDependencyCondition.when(platforms: [.linux, .macOS])

/// Whether SwiftPM or Xcode loaded this package for another one, from a repository: its root while versions are resolved.
let isCheckout =
    Context.packageDirectory == "/" || Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"

let package = Package(
    name: "fencepost",
    // Apple's systems but the Mac: for FencepostCoreLocation in apps.
    platforms: [.macOS(.v15), .iOS(.v14), .watchOS(.v7)],
    products: [
        .executable(name: "fencepost", targets: ["fencepost"]),
        // Of its commands those about Core Location alone, for the CI of app teams.
        .executable(name: "fencepost-apps", targets: ["fencepost-apps"]),
        // What app developers import: the first in apps, the second in their tests.
        .library(name: "FencepostCoreLocation", targets: ["FencepostCoreLocation"]),
        .library(name: "FencepostSimulator", targets: ["FencepostSimulator"]),
    ],
    traits: [
        .trait(
            name: "NativeLibraries",
            description:
                "PROJ and simdjson, as the service needs them for its speed. Without it no C library is needed."),
        .trait(
            name: "SimulatedCoreLocation",
            description: "FencepostCoreLocation simulates a device on a Mac too, for the tests of an app."),
        .default(enabledTraits: isCheckout ? [] : ["NativeLibraries"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C, each behind the one target that calls it.
        .systemLibrary(name: "CGEOS", path: "Sources/C/CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
        .systemLibrary(
            name: "CGeodesic", path: "Sources/C/CGeodesic", pkgConfig: "proj", providers: [.apt(["libproj-dev"])]),
        .systemLibrary(
            name: "CLibXML2", path: "Sources/C/CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CZip", path: "Sources/C/CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/C/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CSodium", path: "Sources/C/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CMosquitto", path: "Sources/C/CMosquitto", pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]),
        // Its file for pkg-config names libraries whose headers nobody needs.
        .systemLibrary(name: "CJose", path: "Sources/C/CJose", providers: [.apt(["libcjose-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/C/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .systemLibrary(
            name: "CNATS", path: "Sources/C/CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/C/CLinux"),
        .systemLibrary(name: "CPrefetch", path: "Sources/C/CPrefetch"),
        // Each loads its library when an endpoint of that kind is used. Redis and RabbitMQ check certificates by OpenSSL.
        .target(
            name: "CHiredis", path: "Sources/C/CHiredis",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(
            name: "CRabbitMQ", path: "Sources/C/CRabbitMQ",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CRdKafka", path: "Sources/C/CRdKafka"),
        .target(
            name: "CSQLiteSession", path: "Sources/C/CSQLiteSession", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CSimdjson", path: "Sources/C/CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(
            name: "FencepostGeometry",
            dependencies: [.target(name: "CGeodesic", condition: native)], swiftSettings: house),
        .target(
            name: "FencepostJSON",
            dependencies: [.target(name: "CSimdjson", condition: native)], swiftSettings: house),
        .target(
            name: "FencepostModel",
            dependencies: ["FencepostGeometry"], swiftSettings: pure),
        .target(
            name: "FencepostGEOS",
            dependencies: ["FencepostGeometry", "CGEOS"], swiftSettings: house),
        .target(name: "FencepostCrypto", dependencies: ["CSodium"], swiftSettings: house),
        .target(name: "FencepostFiles", swiftSettings: house),
        .target(name: "FencepostTracing", swiftSettings: house),
        .target(name: "FencepostParquet", dependencies: ["CZstd"], swiftSettings: house),
        .target(name: "FencepostTransport", dependencies: ["CCurl"], swiftSettings: house),
        .target(
            name: "FencepostFormats",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostCrypto", "CSimdjson", "CLibXML2",
                "CZip", "CZlib",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostRegions",
            dependencies: [
                "FencepostGeometry", "FencepostModel", "FencepostFiles", "FencepostGEOS", "CPrefetch",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostRegionFiles",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostRegionImport",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegionFiles",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostSavedIndex",
            dependencies: [
                "FencepostGeometry", "FencepostModel", "FencepostFiles", "FencepostRegionFiles", "FencepostRegions",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostMonitor",
            dependencies: ["FencepostGeometry", "FencepostModel"],
            swiftSettings: pure),
        .target(
            name: "FencepostSimulator",
            dependencies: ["FencepostGeometry", "FencepostJSON", "FencepostModel"],
            swiftSettings: pure),
        .target(
            name: "FencepostCoreLocation",
            // On Apple's systems it is Core Location by another name, but for the trait.
            dependencies: [
                .target(name: "FencepostSimulator", condition: simulated),
                .target(name: "FencepostModel", condition: simulated),
                .target(name: "FencepostGeometry", condition: simulated),
            ],
            swiftSettings: house),
        .target(name: "CDrawingFiles", path: "Sources/C/CDrawingFiles"),
        .target(
            name: "FencepostReport",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostSimulator", "CDrawingFiles",
            ],
            swiftSettings: pure),
        // The commands about Core Location alone, which both programs have.
        .target(
            name: "FencepostAppCommands",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFiles", "FencepostSimulator",
                "FencepostReport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost-apps",
            dependencies: [
                "FencepostAppCommands", "FencepostModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostEngine",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS", "FencepostFormats",
                "FencepostRegions", "FencepostMonitor", "FencepostSimulator", "CPrefetch",
            ], swiftSettings: house),
        .target(
            name: "FencepostMessages",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: house),
        .target(name: "CWorkJournal", path: "Sources/C/CWorkJournal"),
        .target(
            name: "FencepostService",
            dependencies: [
                "CWorkJournal",
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegionFiles",
                "FencepostMessages",
                "FencepostRegions", "FencepostMonitor", "FencepostSimulator", "FencepostEngine", "FencepostTracing",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostStore",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostEngine",
                "FencepostService", "FencepostFiles", "FencepostCrypto", "FencepostCluster", "CSQLiteSession",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostWebhooks",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostCrypto", "FencepostFormats",
                "FencepostService", "FencepostMessages", "FencepostTracing", "FencepostTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostBrokers",
            dependencies: [
                "FencepostJSON", "FencepostModel", "FencepostService", "FencepostWebhooks", "FencepostNATS", "CHiredis",
                "CRabbitMQ", "CRdKafka",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostGeocoding",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostService", "FencepostTransport",
                "FencepostWebhooks",
            ],
            swiftSettings: house),
        // Signing in at a provider of identities.
        .target(
            name: "FencepostOIDC",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostCrypto", "FencepostService",
                "FencepostTransport", "CJose",
            ],
            swiftSettings: house),
        // The files under FencepostPage/Web, and Leaflet, as bytes of the program.
        .target(name: "CPageFiles", path: "Sources/C/CPageFiles"),
        .target(
            name: "FencepostPage",
            dependencies: ["CPageFiles"], exclude: ["BaseMap", "Types", "Web", "package.json", "tsconfig.json"],
            swiftSettings: house),
        .target(
            name: "FencepostTiles",
            dependencies: ["CZlib", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: house),
        // Connections, requests and responses, without anything of the API.
        .target(
            name: "FencepostHTTP",
            dependencies: [
                "FencepostJSON", "FencepostModel", "FencepostCrypto", "CZlib",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostHistory",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostMonitor",
                "FencepostEngine", "FencepostAnalysis", "FencepostFiles", "FencepostService", "FencepostParquet",
            ], swiftSettings: house),
        .target(
            name: "FencepostServer",
            dependencies: [
                "FencepostTiles", "FencepostHTTP", "FencepostHistory", "FencepostTracing",
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostCrypto", "FencepostFormats",
                "FencepostRegionFiles", "FencepostRegionImport", "FencepostRegions", "FencepostMonitor",
                "FencepostSimulator", "FencepostEngine",
                "FencepostService", "FencepostAnalysis", "FencepostPage",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostOperation",
            dependencies: [
                "FencepostJSON", "FencepostModel", "FencepostTracing", "FencepostTransport", "CLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostMQTT",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegions",
                "FencepostMonitor", "FencepostEngine", "FencepostService", "CMosquitto",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        // A cluster: the commit log that its nodes have copies of, and who appends to it.
        .target(
            name: "FencepostCluster", dependencies: ["FencepostCrypto", "FencepostGeometry", "FencepostModel"],
            swiftSettings: pure),
        .target(
            name: "FencepostNATS",
            dependencies: ["FencepostJSON", "FencepostCluster", "CNATS"], swiftSettings: house),
        .target(
            name: "FencepostAnalysis",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS", "FencepostFormats",
                "FencepostRegionFiles", "FencepostRegions", "FencepostMonitor", "FencepostEngine",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostRecordings",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostSimulator", "CZlib",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostTesting",
            dependencies: ["FencepostGeometry", "FencepostModel"],
            swiftSettings: house),
        .target(
            name: "FencepostServiceTesting",
            dependencies: ["FencepostModel", "FencepostFormats", "FencepostEngine", "FencepostService"],
            swiftSettings: house),
        // The running service: alone, or as a node of a cluster. The program and its tests start it.
        .target(
            name: "FencepostNode",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegionFiles",
                "FencepostRegionImport", "FencepostRegions", "FencepostMonitor", "FencepostSimulator",
                "FencepostEngine", "FencepostService",
                "FencepostStore", "FencepostWebhooks", "FencepostBrokers", "FencepostHTTP", "FencepostServer",
                "FencepostMQTT",
                "FencepostOperation", "FencepostPage", "FencepostFiles", "FencepostTiles",
                "FencepostTracing", "FencepostTransport", "FencepostGeocoding", "FencepostOIDC", "FencepostCluster",
                "FencepostNATS",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS", "FencepostFormats",
                "FencepostRegionFiles", "FencepostRegions", "FencepostSavedIndex", "FencepostMonitor",
                "FencepostSimulator", "FencepostEngine",
                "FencepostService", "FencepostAnalysis", "FencepostAppCommands", "FencepostStore", "FencepostWebhooks",
                "FencepostServer", "FencepostMessages", "FencepostOperation", "FencepostPage",
                "FencepostFiles", "FencepostHistory", "FencepostParquet",
                "FencepostCrypto", "FencepostRecordings", "FencepostTransport",
                "FencepostCluster", "FencepostNATS", "FencepostNode", "FencepostRegionImport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost-bench",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS", "FencepostFormats",
                "FencepostRegionFiles", "FencepostRegions", "FencepostSavedIndex", "FencepostFiles", "FencepostMonitor",
                "FencepostEngine", "FencepostHistory", "FencepostService", "FencepostStore", "FencepostWorkload",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),

        .target(
            name: "FencepostWorkload",
            dependencies: ["FencepostGeometry", "FencepostModel"], swiftSettings: house),
        .executableTarget(
            name: "fencepost-hotpath",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFiles", "FencepostFormats",
                "FencepostRegionFiles", "FencepostRegions", "FencepostSavedIndex", "FencepostMonitor",
                "FencepostEngine", "FencepostWorkload", "FencepostTracing",
            ],
            swiftSettings: house),

        // The deterministic simulation of the service. Nothing of it is part of the program.
        .target(
            name: "CSimulatedDisk", path: "Sources/C/CSimulatedDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "FencepostSimulation",
            dependencies: [
                "CSimulatedDisk", "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats",
                "FencepostRegionFiles", "FencepostRegions", "FencepostMonitor", "FencepostEngine", "FencepostService",
                "FencepostStore", "FencepostWebhooks",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost-simulate",
            dependencies: [
                "FencepostSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),

        .testTarget(
            name: "FencepostGeometryTests",
            dependencies: ["FencepostGeometry", "FencepostTesting"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostJSONTests",
            dependencies: ["FencepostJSON", "FencepostTesting"], swiftSettings: house),
        .testTarget(
            name: "FencepostModelTests",
            dependencies: ["FencepostGeometry", "FencepostModel", "FencepostTesting"],
            swiftSettings: house),
        .testTarget(name: "FencepostTracingTests", dependencies: ["FencepostTracing"], swiftSettings: house),
        .testTarget(name: "FencepostCryptoTests", dependencies: ["FencepostCrypto"], swiftSettings: house),
        .testTarget(
            name: "FencepostGEOSTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostGEOS", "FencepostTesting",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostFormatsTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostTesting",
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: house),
        .testTarget(
            name: "FencepostRegionsTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS", "FencepostRegionFiles",
                "FencepostRegions", "FencepostTesting", "FencepostWorkload",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostWorkloadTests",
            dependencies: ["FencepostGeometry", "FencepostModel", "FencepostWorkload"], swiftSettings: house),
        .testTarget(
            name: "FencepostSavedIndexTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFiles", "FencepostRegionFiles",
                "FencepostRegions", "FencepostSavedIndex", "FencepostTesting", "FencepostWorkload",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostRegionFilesTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostRegionFiles", "FencepostTesting",
            ], exclude: ["Golden"], swiftSettings: house),
        .testTarget(
            name: "FencepostRegionImportTests",
            dependencies: [
                "FencepostGeometry", "FencepostModel", "FencepostRegionFiles", "FencepostRegionImport",
            ], swiftSettings: house),
        .testTarget(
            name: "FencepostEngineTests",
            dependencies: [
                "FencepostGeometry", "FencepostGEOS", "FencepostJSON", "FencepostModel", "FencepostFormats",
                "FencepostRegions", "FencepostMonitor", "FencepostSimulator", "FencepostEngine", "FencepostService",
                "FencepostAnalysis", "FencepostTesting", "FencepostWorkload",
            ], swiftSettings: house),
        .testTarget(
            name: "FencepostMonitorTests",
            dependencies: [
                "FencepostGeometry", "FencepostModel", "FencepostMonitor", "FencepostTesting",
            ],
            resources: [.copy("Timelines"), .copy("States")],
            swiftSettings: house),
        .testTarget(
            name: "FencepostSimulatorTests",
            dependencies: [
                "FencepostJSON", "FencepostModel", "FencepostSimulator", "FencepostTesting",
            ],
            exclude: ["Advice", "Scenarios"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostRecordingsTests",
            dependencies: [
                "FencepostCoreLocation", "FencepostJSON", "FencepostModel", "FencepostRecordings", "FencepostSimulator",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Recorded"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostCoreLocationTests",
            dependencies: ["FencepostSimulator", "FencepostCoreLocation"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostAppCommandsTests",
            dependencies: ["FencepostAppCommands", "FencepostSimulator"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostReportTests",
            dependencies: [
                "FencepostGeometry", "FencepostModel", "FencepostSimulator", "FencepostPage", "FencepostReport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostServiceTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegionFiles",
                "FencepostRegions", "FencepostMonitor", "FencepostSimulator", "FencepostEngine", "FencepostService",
                "FencepostTesting", "FencepostTracing", "FencepostServiceTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostAnalysisTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegions",
                "FencepostMonitor", "FencepostEngine", "FencepostAnalysis", "FencepostTesting",
            ],
            exclude: ["Days"], swiftSettings: house),
        .testTarget(
            name: "FencepostStoreTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegions",
                "FencepostMonitor", "FencepostEngine", "FencepostService", "FencepostStore", "FencepostFiles",
                "FencepostTesting", "FencepostServiceTesting", "FencepostCluster", "FencepostHistory",
                "FencepostRegionFiles",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostMessagesTests", dependencies: ["FencepostModel", "FencepostMessages"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostWebhooksTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostSimulator",
                "FencepostService", "FencepostMessages", "FencepostWebhooks", "FencepostTesting",
                "FencepostServiceTesting", "FencepostTracing", "FencepostTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostBrokersTests",
            dependencies: [
                "FencepostBrokers", "FencepostModel", "FencepostService", "FencepostWebhooks",
            ], swiftSettings: house),
        .testTarget(
            name: "FencepostGeocodingTests",
            dependencies: [
                "FencepostGeocoding", "FencepostGeometry", "FencepostModel", "FencepostService", "FencepostWebhooks",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostOIDCTests",
            dependencies: [
                "FencepostOIDC", "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostService",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostTilesTests",
            dependencies: ["FencepostTesting", "FencepostTiles", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: house),
        .testTarget(
            name: "FencepostHTTPTests", dependencies: ["FencepostHTTP", "FencepostTesting"], swiftSettings: house),
        .testTarget(
            name: "FencepostServerTests",
            dependencies: [
                "FencepostAnalysis", "FencepostCluster", "FencepostGeometry", "FencepostHistory", "FencepostJSON",
                "FencepostModel", "FencepostFormats", "FencepostMonitor",
                "FencepostSimulator", "FencepostService",
                "FencepostPage", "FencepostStore", "FencepostHTTP", "FencepostServer", "FencepostTesting",
                "FencepostServiceTesting", "FencepostTracing", "FencepostTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostOperationTests",
            dependencies: [
                "FencepostJSON", "FencepostModel", "FencepostOperation", "FencepostTracing", "FencepostTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostNodeTests",
            dependencies: [
                "FencepostJSON", "FencepostModel", "FencepostNode", "FencepostOperation", "FencepostService",
                "FencepostStore", "FencepostTransport", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostProgramTests",
            dependencies: [
                "fencepost", "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostRegionFiles",
                "FencepostRegions", "FencepostMonitor", "FencepostEngine", "FencepostService", "FencepostTesting",
                "FencepostServiceTesting", "FencepostStore", "FencepostTransport", "FencepostMQTT",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostMQTTTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostMonitor",
                "FencepostEngine", "FencepostService", "FencepostMQTT", "FencepostServiceTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostClusterTests",
            dependencies: ["FencepostModel", "FencepostCluster", "FencepostTesting"],
            exclude: ["Golden", "Dialogues"], swiftSettings: house),
        .testTarget(
            name: "FencepostNATSTests",
            dependencies: ["FencepostModel", "FencepostCluster", "FencepostNATS", "FencepostTesting"],
            exclude: ["requirements.txt"], swiftSettings: house),
        .testTarget(
            name: "FencepostSimulationTests",
            dependencies: [
                "FencepostSimulation", "FencepostModel",
                "FencepostTesting",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostParquetTests", dependencies: ["FencepostParquet", "FencepostTesting"], swiftSettings: house),
        .testTarget(
            name: "FencepostHistoryTests",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostService", "FencepostHistory",
            ],
            swiftSettings: house),
        .testTarget(name: "FencepostFilesTests", dependencies: ["FencepostFiles"], swiftSettings: house),
        .testTarget(
            name: "FencepostCommandTests",
            dependencies: [
                "fencepost", "FencepostJSON", "FencepostModel", "FencepostTesting",
            ],
            exclude: ["Golden"],
            swiftSettings: house),
    ],
    cxxLanguageStandard: .cxx17
)

// A fuzzer has no `main` of its own: libFuzzer brings it, when Tests/Fuzz/run.sh builds with its flags.
if Context.environment["FENCEPOST_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fencepost-fuzz",
            dependencies: [
                "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostFormats", "FencepostRegionFiles",
                "FencepostRegionImport",
                "FencepostRegions", "FencepostFiles", "FencepostSavedIndex", "FencepostMonitor", "FencepostEngine",
                "FencepostService", "FencepostMessages", "FencepostStore", "FencepostTiles", "FencepostMQTT",
                "FencepostWebhooks", "FencepostHTTP", "FencepostServer",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Fuzz", exclude: ["Corpus", "run.sh", "openapi.sh", "openapi_hooks.py"],
            swiftSettings: house))
}

// The modules in which the tests compute for minutes are optimized in a debug build too, with their assertions, which
// makes the tests more than twice as fast. FENCEPOST_OPTIMIZED=0 leaves it out for a session in a debugger. SwiftPM may
// refuse such flags in a package that another one depends on; there the folder is under `checkouts`.
let optimized: Set<String> = [
    "FencepostGeometry", "FencepostJSON", "FencepostModel", "FencepostGEOS", "FencepostFormats", "FencepostRegions",
    "FencepostParquet", "FencepostRegionFiles", "FencepostSavedIndex", "FencepostMonitor", "FencepostEngine",
    "FencepostHistory",
]
if Context.environment["FENCEPOST_OPTIMIZED"] != "0", !isCheckout {
    for target in package.targets where optimized.contains(target.name) {
        target.swiftSettings? += [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
    }
}

// The toolchain's lld packs the 2 MB of relocations of the program that its default linker leaves as they are.
if !isCheckout, let program = package.targets.first(where: { $0.name == "fencepost" }) {
    let packed = ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]
    program.linkerSettings =
        (program.linkerSettings ?? []) + [.unsafeFlags(packed, .when(platforms: [.linux], configuration: .release))]
}

// Part of the package, for a short build of a few modules and their tests: `FENCEPOST_ONLY=FencepostMonitorTests`
// keeps the named targets, what they depend on, and the package dependencies that these use.
// Another package has the products for apps, and needs no more packages than they do.
let products = isCheckout ? "FencepostCoreLocation,FencepostSimulator,fencepost-apps" : ""
let names = Context.environment["FENCEPOST_ONLY"] ?? products
if !names.isEmpty {
    var kept: Set<String> = []
    var packages: Set<String> = []
    var pending = names.split(separator: ",").map(String.init)
    while let name = pending.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("FENCEPOST_ONLY: there is no target \(name) in Package.swift")
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): pending.append(name)
            case .productItem(_, let package, _, _): if let package { packages.insert(package) }
            @unknown default: fatalError("FENCEPOST_ONLY: a dependency of \(name) has a new kind")
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        let targets = (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []
        return !targets.allSatisfy(kept.contains)
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/\($0)") }
    }
}
