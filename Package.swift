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
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // C, each behind the one target that calls it.
        .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
        .systemLibrary(name: "CGeodesic", pkgConfig: "proj", providers: [.apt(["libproj-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .target(
            name: "CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: "FencepostGeometry", dependencies: ["CGeodesic"], swiftSettings: house),
        .target(name: "FencepostJSON", dependencies: ["CSimdjson"], swiftSettings: house),
        .target(name: "FencepostModel", dependencies: ["FencepostGeometry"], swiftSettings: pure),
        .target(name: "FencepostGEOS", dependencies: ["FencepostGeometry", "CGEOS"], swiftSettings: house),
        .target(
            name: "FencepostFormats",
            dependencies: ["FencepostModel", "FencepostJSON", "FencepostGeometry", "CSimdjson", "CLibXML2", "CZip"],
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
            dependencies: ["FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostSimulator"],
            swiftSettings: pure),
        .target(
            name: "FencepostPipeline",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostMonitor", "FencepostRegions",
                "FencepostSimulator",
                "FencepostGEOS",
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
            dependencies: ["FencepostModel", "FencepostGeometry"],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostGEOS", "FencepostFormats",
                "FencepostMonitor", "FencepostRegions", "FencepostPipeline", "FencepostQuality", "FencepostSimulator",
                "FencepostReport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fencepost-bench",
            dependencies: [
                "FencepostModel", "FencepostGeometry", "FencepostJSON", "FencepostGEOS", "FencepostFormats",
                "FencepostMonitor", "FencepostRegions", "FencepostPipeline",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
                "FencepostReport", "FencepostSimulator", "FencepostModel", "FencepostGeometry", "FencepostTesting",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FencepostPipelineTests",
            dependencies: [
                "FencepostPipeline", "FencepostSimulator", "FencepostRegions", "FencepostMonitor", "FencepostFormats",
                "FencepostModel",
                "FencepostGeometry", "FencepostJSON", "FencepostTesting",
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
