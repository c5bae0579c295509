#!/usr/bin/env bash
# Builds and tests packages that use Fencepost's libraries from outside: the example app, which names the working copy by its
# path, and a package that names a repository by URL and version; and the small program. Needs the network, or the packages in
# SwiftPM's cache. The C libraries of the service are hidden, as on the machines of app teams; Tests/Package/run.sh --as-is
# leaves the machine as it is. With FENCEPOST_TAG, a version, only the package that names a repository is built: with that tag of
# this clone, or of the repository FENCEPOST_URL.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
swift=${SWIFT:-swift}

if [ "${1:-}" != --as-is ]; then
  status=0
  Tests/Package/clean.sh "$root/Tests/Package/run.sh" --as-is || status=$?
  [ $status = 77 ] || exit $status
  echo 'Testing with the C libraries in place ...' >&2
fi

if [ -z "${FENCEPOST_TAG:-}" ]; then
  echo 'Building fencepost-apps ...' >&2
  make --no-print-directory apps SWIFT="$swift"
  "$(make -s --no-print-directory apps-path SWIFT="$swift")" lint --github docs/examples/GeofenceApp
  "$(make -s --no-print-directory apps-path SWIFT="$swift")" simulate Tests/FencepostSimulatorTests/Scenarios/relaunch.json

  echo 'Testing docs/examples/GeofenceApp against the working copy ...' >&2
  $swift test --package-path docs/examples/GeofenceApp --scratch-path .build/example
fi

# A repository of the working copy with a version, as a host has it.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
url=${FENCEPOST_URL:-file://$folder/fencepost}
tag=${FENCEPOST_TAG:-99.0.0}
if [ -z "${FENCEPOST_URL:-}" ]; then
  git clone --quiet --no-hardlinks "$root" "$folder/fencepost"
  [ -n "${FENCEPOST_TAG:-}" ] || git -C "$folder/fencepost" tag "$tag"
  git -C "$folder/fencepost" rev-parse --quiet --verify "refs/tags/$tag" >/dev/null || {
    echo "This clone has no tag $tag: git tag $tag, or git fetch --tags." >&2
    exit 1
  }
fi
mkdir -p "$folder/app/Sources/App"
cat >"$folder/app/Package.swift" <<PACKAGE
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "$url", exact: "$tag")],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "FencepostCoreLocation", package: "fencepost"),
                .product(name: "FencepostSimulator", package: "fencepost"),
            ],
            swiftSettings: [
                .unsafeFlags(["-module-alias", "CoreLocation=FencepostCoreLocation"], .when(platforms: [.linux]))
            ])
    ])
PACKAGE
# A file as it is in an app for Apple's systems.
cat >"$folder/app/Sources/App/Permission.swift" <<'PERMISSION'
#if canImport(CoreLocation)
    import CoreLocation
#endif

final class Permission: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var statuses: [CLAuthorizationStatus] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        statuses.append(manager.authorizationStatus)
    }
}
PERMISSION
cat >"$folder/app/Sources/App/App.swift" <<'APP'
import CoreLocation
import FencepostSimulator

@main struct App {
    static func main() {
        let device = SimulatedDevice(DeviceState())
        let permission = device.launch { Permission() }
        precondition(permission?.statuses == [.notDetermined], "the delegate is called once")
        device.run { permission?.manager.requestWhenInUseAuthorization() }
        print("prompt: \(device.prompt == nil ? "none, as the keys are missing" : "shown")")
    }
}
APP
echo "Building a package that names version $tag of $url ..." >&2
$swift run --package-path "$folder/app" --scratch-path .build/by-url App
