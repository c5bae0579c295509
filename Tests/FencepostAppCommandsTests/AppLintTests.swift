import FencepostSimulator
import Foundation
import Testing

@testable import FencepostAppCommands

/// What `fencepost lint` finds in files and folders.
@Suite("The lint of apps") final class AppLintTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "lint-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ path: String, _ text: String) throws -> String {
        let url = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    private func writePlist(_ path: String, modes: [String] = []) throws -> String {
        let list: [String: Any] = [
            "CFBundlePackageType": "APPL", "UIBackgroundModes": modes,
            "UIApplicationSceneManifest": ["UIApplicationSupportsMultipleScenes": false],
            "NSLocationWhenInUseUsageDescription": "Shows places.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "Notices places.",
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        return try write(path, String(decoding: data, as: UTF8.self))
    }

    /// Findings that are more than notes, and notes about the background mode, by severity and first rule.
    private func found(_ paths: String...) -> [String] {
        let lint = AppLint(paths)
        #expect(lint.unreadable.isEmpty)
        return lint.declarationFindings.map(\.finding)
            .filter { $0.severity != .note || $0.key == "UIBackgroundModes:location" }
            .map { "\($0.severity.rawValue) \($0.rules.first?.rawValue ?? $0.key)" }
            + lint.sourceFindings.map {
                "\($0.path.split(separator: "/").last ?? ""):\($0.line) \($0.severity.rawValue) "
                    + ($0.rules.first?.rawValue ?? $0.key)
            }
    }

    /// An app delegate with a line in its launch.
    private func app(_ line: String, setsDelegate: Bool = true) -> String {
        """
        import CoreLocation
        final class AppDelegate: NSObject, UIApplicationDelegate, CLLocationManagerDelegate {
            let manager = CLLocationManager()
            func application(_ a: UIApplication, didFinishLaunchingWithOptions o: Options?) -> Bool {
                \(setsDelegate ? "manager.delegate = self" : "")
                \(line)
                return true
            }
            func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
        }
        """
    }

    @Test("asks for no background mode where nothing needs it") func backgroundMode() throws {
        let list = try writePlist("App/Info.plist")
        #expect(found(list) == ["note PLIST-12"])
        let source = try write("App/A.swift", app("manager.startMonitoring(for: region)"))
        let root = folder.appending(path: "App").path
        #expect(found(root).isEmpty)
        // A part of the sources does not show what the others do.
        #expect(found(list, source) == ["note PLIST-12"])
        _ = try write("App/A.swift", app("manager.allowsBackgroundLocationUpdates = true"))
        #expect(found(root) == ["A.swift:6 error SVC-16"])
        _ = try write("App/A.swift", app("session = CLBackgroundActivitySession()"))
        #expect(found(root) == ["A.swift:6 error PLIST-12"])
        _ = try write("App/A.swift", "import CoreLocation\nstruct A { let session = CLBackgroundActivitySession() }")
        #expect(found(root) == ["A.swift:2 error PLIST-12"])
    }

    @Test("does not report in one file what another file may do") func oneFile() throws {
        let text = app("manager.startMonitoringVisits()", setsDelegate: false)
        let source = try write("App/A.swift", text)
        #expect(found(folder.path) == ["A.swift:3 error RELAUNCH-21"])
        #expect(found(source).isEmpty)
        let other = try write(
            "App/B.swift",
            """
            import CoreLocation
            func begin(_ manager: CLLocationManager) {
                manager.allowsBackgroundLocationUpdates = true
                manager.distanceFilter = 50
                manager.startUpdatingLocation()
                session = CLServiceSession(authorization: .always)
                manager.startMonitoringSignificantLocationChanges()
                let circle = CLCircularRegion(center: c, radius: 20, identifier: "a")
            }
            """)
        #expect(found(source, other) == ["B.swift:8 warning REGION-21"])
    }

    @Test("warns about a source that is too large, and checks the others") func largeSource() throws {
        _ = try writePlist("App/Info.plist")
        _ = try write("App/Table.swift", "let table = [" + String(repeating: "1, ", count: 1_400_000) + "]")
        _ = try write("App/A.swift", app("manager.allowsBackgroundLocationUpdates = true"))
        #expect(found(folder.path) == ["Table.swift:1 warning Table.swift", "A.swift:6 error SVC-16"])
    }

    @Test("checks several apps one by one") func severalApps() throws {
        _ = try writePlist("AppA/Info.plist")
        _ = try write("AppA/A.swift", app("manager.allowsBackgroundLocationUpdates = true"))
        _ = try writePlist("AppB/Info.plist", modes: ["location"])
        _ = try write("AppB/B.swift", app("manager.startMonitoringVisits()"))
        let (first, second) = (folder.appending(path: "AppA").path, folder.appending(path: "AppB").path)
        #expect(found(first, second) == ["A.swift:6 error SVC-16"])
        #expect(found(folder.path) == ["A.swift:6 error SVC-16"])
        #expect(AppLint([first, second]).declarationFindings.allSatisfy { [first, second].contains($0.app) })
        #expect(AppLint([second]).declarationFindings.allSatisfy { $0.app == nil })
        // It is not known to which app a source outside of both belongs.
        _ = try write("Shared/S.swift", "import CoreLocation")
        #expect(found(folder.path) == ["warning Info.plist"])
    }

    @Test("reads a source whose name only ends as that of a manifest") func packageNames() throws {
        let radius = "import CoreLocation\nlet r = CLCircularRegion(center: c, radius: 50, identifier: \"a\")\n"
        _ = try write("App/TravelPackage.swift", radius)
        _ = try write("App/Package.swift", radius)
        #expect(found(folder.appending(path: "App").path) == ["TravelPackage.swift:2 warning REGION-21"])
    }
}
