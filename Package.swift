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

/// For the targets below Pipeline that call no C.
let pure: [SwiftSetting] = house + [.strictMemorySafety()]

let package = Package(
    name: "fencepost",
    // Apple's systems but the Mac: for FencepostCoreLocation in apps.
    platforms: [.macOS(.v15), .iOS(.v14), .watchOS(.v7)],
    products: [
        .executable(name: "fencepost", targets: ["fencepost"]),
        // What app developers import: the first in apps, the second beside it in their tests.
        .library(name: "FencepostCoreLocation", targets: ["FencepostCoreLocation"]),
        .library(name: "FencepostSimulator", targets: ["FencepostSimulator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C, each behind the one target that calls it.
        .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
        .systemLibrary(name: "CGeodesic", pkgConfig: "proj", providers: [.apt(["libproj-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(
            name: "CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: "FencepostGeometry", dependencies: ["CGeodesic"], swiftSettings: house),
        .target(name: "FencepostJSON", dependencies: ["CSimdjson"], swiftSettings: house),
        .target(name: "FencepostModel", dependencies: ["FencepostGeometry"], swiftSettings: pure),
        .target(name: "FencepostGEOS", dependencies: ["FencepostGeometry", "CGEOS"], swiftSettings: house),
        .target(
            name: "FencepostFormats",
            dependencies: [
                "FencepostModel", "FencepostJSON", "FencepostGeometry", "CSimdjson", "CLibXML2", "CZip",
                "CSodium",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostRegions",
            dependencies: ["FencepostModel", "FencepostJSON", "FencepostGeometry", "FencepostGEOS"],
            swiftSettings: house),
        .target(
            name: "FencepostMonitor", dependencies: ["FencepostModel", "FencepostGeometry"],
            swiftSettings: pure),
        .target(
            name: "FencepostSimulator",
            dependencies: ["FencepostModel", "FencepostJSON"],
            swiftSettings: pure),
        .target(
            name: "FencepostCoreLocation",
            // On Apple's systems it is Core Location by another name, and needs nothing else.
            dependencies: [
                .target(name: "FencepostSimulator", condition: .when(platforms: [.linux])),
                .target(name: "FencepostModel", condition: .when(platforms: [.linux])),
                .target(name: "FencepostGeometry", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostReport",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostSimulator", "FencepostPage",
            ],
            swiftSettings: pure),
        .target(
            name: "FencepostPipeline",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostMonitor", "FencepostRegions",
                "FencepostSimulator", "FencepostGEOS", "FencepostFormats",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostStore",
            dependencies: [
                "FencepostPipeline", "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostFormats",
                "FencepostRegions", "FencepostSimulator",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostWebhooks",
            dependencies: [
                "FencepostPipeline", "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostFormats",
                "FencepostSimulator",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        // The files under FencepostPage/Web, and Leaflet, as bytes of the program.
        .target(name: "CPageFiles"),
        .target(
            name: "FencepostPage", dependencies: ["CPageFiles"], exclude: ["BaseMap", "Web"], swiftSettings: house),
        .target(
            name: "FencepostServer",
            dependencies: [
                "FencepostPipeline", "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostFormats",
                "FencepostRegions", "FencepostSimulator", "FencepostPage", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostOperation",
            dependencies: [
                "FencepostModel", "FencepostJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostMQTT",
            dependencies: [
                "FencepostPipeline", "FencepostModel", "FencepostFormats", "CMosquitto",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .target(
            name: "FencepostQuality",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostFormats", "FencepostGEOS",
                "FencepostRegions", "FencepostMonitor", "FencepostPipeline",
            ],
            swiftSettings: house),
        .target(
            name: "FencepostTesting",
            dependencies: ["FencepostModel", "FencepostGeometry", "FencepostPipeline"],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostGEOS", "FencepostFormats",
                "FencepostMonitor", "FencepostRegions", "FencepostPipeline", "FencepostQuality", "FencepostSimulator",
                "FencepostReport", "FencepostStore", "FencepostWebhooks", "FencepostServer", "FencepostMQTT",
                "FencepostOperation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost-bench",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostGEOS", "FencepostFormats",
                "FencepostMonitor", "FencepostRegions", "FencepostPipeline", "FencepostStore",
                "FencepostWorkload",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),

        .target(
            name: "FencepostWorkload", dependencies: ["FencepostModel", "FencepostGeometry"], swiftSettings: house),
        .executableTarget(
            name: "fencepost-hotpath",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostFormats", "FencepostRegions",
                "FencepostMonitor", "FencepostPipeline", "FencepostWorkload",
            ],
            swiftSettings: house),

        .testTarget(
            name: "FencepostGeometryTests", dependencies: ["FencepostGeometry", "FencepostTesting"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostJSONTests", dependencies: ["FencepostJSON", "FencepostTesting"], swiftSettings: house),
        .testTarget(
            name: "FencepostModelTests", dependencies: ["FencepostModel", "FencepostGeometry", "FencepostTesting"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostGEOSTests",
            dependencies: ["FencepostGEOS", "FencepostGeometry", "FencepostJSON", "FencepostTesting", "CGEOS"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostFormatsTests",
            dependencies: [
                "FencepostFormats", "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostTesting",
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: house),
        .testTarget(
            name: "FencepostRegionsTests",
            dependencies: [
                "FencepostRegions", "FencepostModel", "FencepostGeometry", "FencepostGEOS", "FencepostJSON",
                "FencepostTesting",
            ],
            exclude: ["Golden"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostMonitorTests",
            dependencies: ["FencepostMonitor", "FencepostModel", "FencepostGeometry", "FencepostTesting"],
            resources: [.copy("Timelines")],
            swiftSettings: house),
        .testTarget(
            name: "FencepostSimulatorTests",
            dependencies: ["FencepostSimulator", "FencepostModel", "FencepostJSON", "FencepostTesting"],
            exclude: ["Scenarios"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostCoreLocationTests",
            dependencies: ["FencepostCoreLocation", "FencepostSimulator", "FencepostModel"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostReportTests",
            dependencies: [
                "FencepostReport", "FencepostPage", "FencepostSimulator", "FencepostModel", "FencepostGeometry",
                "FencepostTesting",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostPipelineTests",
            dependencies: [
                "FencepostPipeline", "FencepostSimulator", "FencepostRegions", "FencepostMonitor", "FencepostFormats",
                "FencepostModel",
                "FencepostGeometry", "FencepostJSON", "FencepostTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostQualityTests",
            dependencies: [
                "FencepostQuality", "FencepostFormats", "FencepostJSON", "FencepostPipeline", "FencepostRegions",
                "FencepostMonitor", "FencepostModel",
                "FencepostGeometry", "FencepostTesting",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostStoreTests",
            dependencies: [
                "FencepostStore", "FencepostPipeline", "FencepostFormats", "FencepostModel", "FencepostGeometry",
                "FencepostRegions", "FencepostMonitor", "FencepostSimulator", "FencepostJSON", "FencepostTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"],
            swiftSettings: house),
        .testTarget(
            name: "FencepostWebhooksTests",
            dependencies: [
                "FencepostWebhooks", "FencepostPipeline", "FencepostModel", "FencepostGeometry", "FencepostJSON",
                "FencepostFormats", "FencepostSimulator", "FencepostTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostServerTests",
            dependencies: [
                "FencepostServer", "FencepostStore", "FencepostWebhooks", "FencepostPipeline", "FencepostFormats",
                "FencepostModel", "FencepostGeometry", "FencepostRegions", "FencepostSimulator", "FencepostJSON",
                "FencepostPage", "FencepostTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostOperationTests",
            dependencies: [
                "FencepostOperation", "FencepostModel", "FencepostJSON",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostServiceTests",
            dependencies: [
                "fencepost", "FencepostPipeline", "FencepostMonitor", "FencepostRegions", "FencepostModel",
                "FencepostGeometry", "FencepostJSON", "FencepostTesting",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostMQTTTests",
            dependencies: [
                "FencepostMQTT", "FencepostPipeline", "FencepostFormats", "FencepostModel", "FencepostTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostCommandTests",
            dependencies: ["fencepost", "FencepostModel", "FencepostJSON", "FencepostTesting"],
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
            dependencies: ["FencepostFormats", "FencepostGeometry", "FencepostJSON", "FencepostModel"],
            path: "Tests/Fuzz", exclude: ["run.sh"], swiftSettings: house))
}

// Part of the package, for a short build of a few modules and their tests: `FENCEPOST_ONLY=FencepostMonitorTests`
// keeps the named targets, what they depend on, and the package dependencies that these use.
if let names = Context.environment["FENCEPOST_ONLY"], !names.isEmpty {
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
