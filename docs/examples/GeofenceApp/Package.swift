// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "GeofenceApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        // In a package of your own: the path of a checkout of Fencepost.
        .package(name: "fencepost", path: "../../..")
    ],
    targets: [
        .target(
            name: "GeofenceApp",
            dependencies: [.product(name: "FencepostCoreLocation", package: "fencepost")]),
        .testTarget(
            name: "GeofenceAppTests",
            dependencies: [
                "GeofenceApp",
                // The types of the simulated device; on a Mac these tests are empty.
                .product(name: "FencepostSimulator", package: "fencepost", condition: .when(platforms: [.linux])),
            ]),
    ]
)
