// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "GeofenceApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        // In a package of your own: the URL of Fencepost, or the path of a checkout. The trait simulates a device on a Mac too;
        // with it alone no C library is needed.
        .package(name: "fencepost", path: "../../..", traits: ["SimulatedCoreLocation"])
    ],
    targets: [
        .target(
            name: "GeofenceApp",
            dependencies: [.product(name: "FencepostCoreLocation", package: "fencepost")]),
        .testTarget(
            name: "GeofenceAppTests",
            dependencies: [
                "GeofenceApp",
                // The types of the simulated device.
                .product(
                    name: "FencepostSimulator", package: "fencepost", condition: .when(platforms: [.linux, .macOS])),
            ]),
    ]
)
