import FencepostSimulator
import Foundation
import Testing

@testable import FencepostAppCommands

/// Sources of an app with one fault each. A comment `// ← SVC-24` marks the line of the finding, with its first rule.
@Suite("The lint of sources") struct SourceLintTests {
    static let keys = [
        "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
        "UIBackgroundModes:location", "UIApplicationSceneManifest",
    ]

    private func findings(
        _ text: String, keys: [String] = keys, platform: Platform = .iOS
    ) -> [SourceFinding] {
        var declaration = AppDeclaration()
        declaration.infoPlist = PropertyKeys(keys)
        declaration.platform = platform
        return SourceLint([("A.swift", text)], declaration: declaration, hasInfoPlist: !keys.isEmpty).run()
    }

    /// Lines with the first rule of the finding there.
    private func marks(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            line.firstRange(of: "// ← ").map { "\(index + 1) \(line[$0.upperBound...])" }
        }
    }

    private func check(_ text: String, keys: [String] = keys, sourceLocation: SourceLocation = #_sourceLocation) {
        let found = findings(text, keys: keys).map { "\($0.line) \($0.rules.first?.rawValue ?? "")" }
        #expect(found == marks(text), sourceLocation: sourceLocation)
    }

    static let correct = """
        import CoreLocation
        import UIKit

        // manager.distanceFilter = 10 in a comment, and "allowsBackgroundLocationUpdates = true" in a text
        @main final class AppDelegate: NSObject, UIApplicationDelegate {
            let tracker = Tracker()
            func application(
                _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                tracker.resume()
                return true
            }
        }

        final class Tracker: NSObject, CLLocationManagerDelegate {
            private let manager = CLLocationManager()
            private var session: CLServiceSession?
            private var background: CLBackgroundActivitySession?
            override init() {
                super.init()
                manager.delegate = self
                manager.pausesLocationUpdatesAutomatically = false
                manager.allowsBackgroundLocationUpdates = true
                manager.distanceFilter = kCLDistanceFilterNone
                manager.desiredAccuracy = kCLLocationAccuracyBest
                if UserDefaults.standard.bool(forKey: "always") { session = CLServiceSession(authorization: .always) }
            }
            func resume() { begin() }
            private func begin() {
                manager.startMonitoringSignificantLocationChanges()
                manager.startUpdatingLocation()
                for place in places.prefix(20) { manager.startMonitoring(for: place) }
                let home = CLCircularRegion(center: center, radius: 200, identifier: "home")
                manager.startMonitoring(for: home)
            }
            func userTapsAlways() {
                manager.requestAlwaysAuthorization()
                background = CLBackgroundActivitySession()
                print(\"\"\"
                    manager.desiredAccuracy = kCLLocationAccuracyKilometer \\(background.map { "\\($0)" } ?? "")
                    \"\"\")
            }
        }
        """

    @Test("finds nothing in a correct app") func correctApp() { check(Self.correct) }

    @Test(
        "finds each fault in it, and nothing else",
        arguments: [
            ("manager.delegate = self", "// nothing", 16, "RELAUNCH-21"),
            ("manager.pausesLocationUpdatesAutomatically = false", "// nothing", 23, "SVC-26"),
            ("manager.distanceFilter = kCLDistanceFilterNone", "manager.distanceFilter = 50", 24, "SVC-24"),
            ("kCLLocationAccuracyBest", "kCLLocationAccuracyKilometer", 25, "SVC-24"),
            ("places.prefix(20)", "places.prefix(40)", 32, "REGION-01"),
            ("radius: 200", "radius: 50.0", 33, "REGION-21"),
            (
                "background = CLBackgroundActivitySession()", "let session = CLBackgroundActivitySession()", 38,
                "LIVE-04"
            ),
            ("background = CLBackgroundActivitySession()", "_ = CLBackgroundActivitySession()", 38, "LIVE-04"),
            ("tracker.resume()", "tracker.prepare()", 30, "RELAUNCH-22"),
            ("if UserDefaults.standard.bool(forKey: \"always\") { session", "func wish() { session", 26, "RELAUNCH-14"),
            (
                "manager.requestAlwaysAuthorization()", "if options[UIApplication.LaunchOptionsKey.location] != nil {}",
                37, "RELAUNCH-31"
            ),
            (
                "tracker.resume()", "tracker.resume(); CLLocationManager().requestWhenInUseAuthorization()", 10,
                "AUTH-02"
            ),
        ])
    func fault(original: String, changed: String, line: Int, rule: String) {
        let text = Self.correct.replacing(original, with: changed)
        #expect(text != Self.correct)
        #expect(findings(text).map { "\($0.line) \($0.rules.first?.rawValue ?? "")" } == ["\(line) \(rule)"])
    }

    @Test("compares sources with the Info.plist") func declarations() {
        func rules(without key: String) -> [String] {
            findings(Self.correct, keys: Self.keys.filter { $0 != key }).map {
                "\($0.line) \($0.severity.rawValue) \($0.rules.first?.rawValue ?? "")"
            }
        }
        #expect(rules(without: "UIBackgroundModes:location") == ["23 error SVC-16", "38 error PLIST-12"])
        #expect(rules(without: "NSLocationAlwaysAndWhenInUseUsageDescription") == ["37 error PLIST-03"])
        #expect(rules(without: "UIApplicationSceneManifest") == ["5 warning RELAUNCH-32"])
        // What was not read is not known to be missing.
        #expect(findings(Self.correct, keys: []).isEmpty)
    }

    @Test("knows views and what runs late") func views() {
        check(
            """
            import CoreLocation
            final class MapViewController: UIViewController, CLLocationManagerDelegate {
                let manager = CLLocationManager()  // ← RELAUNCH-21
                override func viewDidLoad() {
                    super.viewDidLoad()
                    manager.delegate = self
                    manager.startMonitoringVisits()
                }
            }
            """)
        check(
            """
            import CoreLocation
            final class Model: NSObject, CLLocationManagerDelegate {
                let manager = CLLocationManager()
                func begin() {
                    DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
                        self.manager.delegate = self  // ← RELAUNCH-21
                    }
                    manager.startMonitoringVisits()
                }
            }
            """)
    }

    @Test("counts loops and texts") func regions() {
        check(
            """
            import CoreLocation
            func register(_ manager: CLLocationManager) {
                for index in 0..<20 { manager.startMonitoring(for: region(index)) }
                for index in 0...20 { manager.startMonitoring(for: region(index)) }  // ← REGION-01
                for index in 0..<100 { print(index) }
            }
            """)
        let many = (0..<21).map {
            "    r.append(CLCircularRegion(center: c, radius: 150, identifier: \"\($0)\"))"
                + ($0 == 20 ? "  // ← REGION-01" : "")
        }
        check("import CoreLocation\nfunc all() {\n" + many.joined(separator: "\n") + "\n}")
    }

    @Test("knows loops that may register fewer regions, and those of forEach") func loops() {
        let list = (0..<21).map { "p\($0)" }.joined(separator: ", ")
        check(
            """
            import CoreLocation
            func register(_ manager: CLLocationManager) {
                for i in 0..<30 { manager.stopMonitoring(for: CLCircularRegion(center: c, radius: 50, identifier: "r")) }
                for i in 0..<100 where i % 10 == 0 { manager.startMonitoring(for: region(i)) }
                for i in 0..<200 {
                    guard manager.monitoredRegions.count < 20 else { break }
                    manager.startMonitoring(for: region(i))
                }
                for i in 0..<200 { if isNear(i) { manager.startMonitoring(for: region(i)) } }
                (0..<30).forEach { manager.startMonitoring(for: region($0)) }  // ← REGION-01
                (0..<20).forEach { manager.startMonitoring(for: region($0)) }
                (0..<30).forEach({ i in manager.startMonitoring(for: region(i)) })  // ← REGION-01
                (0..<30).filter { $0 < 3 }.forEach { manager.startMonitoring(for: region($0)) }
                places.prefix(20).forEach { manager.startMonitoring(for: $0) }
                places.prefix(21).forEach { manager?.startMonitoring(for: $0) }  // ← REGION-01
                [\(list)].forEach { manager.startMonitoring(for: $0) }  // ← REGION-01
                for place in [\(list)] { manager.startMonitoring(for: place) }  // ← REGION-01
                [p1, f(1, 2), [3, 4]].forEach { manager.startMonitoring(for: $0) }
            }
            """)
        let text = "import CoreLocation\nfunc f() { for i in 0..<35 { m.startMonitoring(for: r(i)) } }"
        #expect(findings(text).first?.effect.hasPrefix("This loop registers 35 regions. ") == true)
        let starts = (0..<15).map {
            "    m.startMonitoring(for: CLCircularRegion(center: c, radius: 200, identifier: \"p\($0)\"))"
        }
        let stops = (0..<10).map {
            "    m.stopMonitoring(for: CLCircularRegion(center: c, radius: 200, identifier: \"q\($0)\"))"
        }
        check((["import CoreLocation", "func f() {"] + starts + stops + ["}"]).joined(separator: "\n"))
    }

    @Test("reports only circles that may be monitored") func comparedCircles() {
        check(
            """
            import CoreLocation
            func f() {
                let isNear = CLCircularRegion(center: c, radius: 50, identifier: "a").contains(here)
                let probe = CLCircularRegion(center: c, radius: 50, identifier: "b")
                if probe.contains(here) { print(isNear) }
                let home = CLCircularRegion(center: c, radius: 50, identifier: "c")  // ← REGION-21
                if home.contains(here) { manager.startMonitoring(for: home) }
            }
            """)
    }

    @Test("knows background updates that depend on the declared modes") func conditionalUpdates() {
        let keys = Self.keys.filter { $0 != "UIBackgroundModes:location" }
        func function(_ body: String) -> String { "import CoreLocation\nfunc f() {\n\(body)\n}" }
        let read = "let modes = Bundle.main.object(forInfoDictionaryKey: \"UIBackgroundModes\") as? [String] ?? []"
        check(
            function("\(read)\nif modes.contains(\"location\") { manager.allowsBackgroundLocationUpdates = true }"),
            keys: keys)
        check(
            function(
                "\(read)\nguard modes.contains(\"location\") else { return }\nm.allowsBackgroundLocationUpdates = true"),
            keys: keys)
        check(
            function("\(read)\nm.allowsBackgroundLocationUpdates = true  // ← SVC-16"), keys: keys)
        check(
            function("if isActive { m.allowsBackgroundLocationUpdates = true }  // ← SVC-16"), keys: keys)
    }

    @Test("follows functions that launch code passes on, and no closure that it stores") func references() {
        for line in ["[setUp, begin].forEach { $0() }", "queue.async(execute: begin)", "perform(#selector(begin))"] {
            check(
                """
                import CoreLocation
                final class Tracker: NSObject, CLLocationManagerDelegate {
                    let manager = CLLocationManager()
                    override init() { super.init(); manager.delegate = self; \(line) }
                    func setUp() {}
                    @objc func begin() { manager.startMonitoringSignificantLocationChanges() }
                }
                """)
        }
        check(
            """
            import CoreLocation
            final class AppDelegate: NSObject {
                func application(_ a: UIApplication, didFinishLaunchingWithOptions o: Options?) -> Bool {
                    feature.onAllow = { [manager] in manager.requestAlwaysAuthorization() }
                    queue.async { self.manager.requestAlwaysAuthorization() }  // ← AUTH-02
                    return true
                }
            }
            """)
    }

    @Test("reads what is nested too deeply up to there, in linear time") func depth() {
        let region = "import CoreLocation\nlet r = CLCircularRegion(center: c, radius: 20, identifier: id)\n"
        let interpolations = String(repeating: "\"\\(", count: 5_000) + "1" + String(repeating: ")\"", count: 5_000)
        for text in [
            "let a = " + interpolations, String(repeating: "func f() {", count: 40_000),
            String(repeating: "f(", count: 40_000),
        ] {
            let found = findings(region + text + "\nlet b = 1")
            #expect(found.map(\.severity) == [.warning, .note])
            #expect(found.last?.line == 3)
        }
        let start = ContinuousClock.now
        for text in [
            String(repeating: "func f() { let a = 1 }\n", count: 70_000), String(repeating: "#", count: 40_000),
            String(repeating: "for i in a ", count: 20_000), String(repeating: "){", count: 40_000),
            "func f() {" + String(repeating: "let s = CLServiceSession()\n", count: 2_000) + "}",
        ] { _ = findings(region + text) }
        #expect(ContinuousClock.now - start < .seconds(60))
        // What code has is read.
        let nested = String(repeating: "if a { ", count: 200) + String(repeating: "}", count: 200)
        check(region.replacing("id)", with: "id)  // ← REGION-21") + "func f() { \(nested) }")
    }

    @Test("knows sessions that are kept, returned or passed on") func sessions() {
        check(
            """
            import CoreLocation
            struct Sessions {
                func make() -> CLServiceSession { CLServiceSession(authorization: .whenInUse) }
                func run() async {
                    let session = CLServiceSession(authorization: .whenInUse)
                    for await diagnostic in session.diagnostics { print(diagnostic) }
                }
                func pass() { keep(CLBackgroundActivitySession()) }
                func drop() {
                    CLServiceSession(authorization: .whenInUse)  // ← SESS-01
                    print("dropped")
                }
            }
            """)
    }

    @Test("obeys comments that allow a rule") func ignored() {
        let radius = "let r = CLCircularRegion(center: c, radius: 20, identifier: id)"
        check("import CoreLocation\n\(radius)  // ← REGION-21")
        check("import CoreLocation\n\(radius)  // fencepost:ignore REGION-21")
        check("import CoreLocation\n// on purpose: fencepost:ignore SVC-24, REGION-21\n\(radius)")
        #expect(findings("import CoreLocation\n\(radius)  // fencepost:ignore SVC-24").count == 1)
    }

    @Test("says nothing of other platforms") func platforms() {
        #expect(findings(Self.correct.replacing("radius: 200", with: "radius: 20"), platform: .macOS).isEmpty)
    }

    @Test(
        "knows where Always does not exist",
        arguments: [
            (Platform.tvOS, "PLAT-13"), (.visionOS, "PLAT-15"), (.visionOSCompatible, "PLAT-15"), (.watchOS, "PLAT-12"),
        ])
    func always(platform: Platform, rule: String) {
        let found = findings(Self.correct, platform: platform)
        #expect(
            found.map { "\($0.key) \($0.rules.first?.rawValue ?? "")" } == [
                "requestAlwaysAuthorization \(rule)", "CLServiceSession \(rule)",
            ])
        var declaration = AppDeclaration()
        declaration.platform = platform
        declaration.infoPlist = PropertyKeys(Self.keys)
        #expect(declaration.findings().contains { $0.rules.first?.rawValue == rule })
        // Without its texts the app asks for no Always, and loses nothing by that.
        declaration.infoPlist = PropertyKeys(["NSLocationWhenInUseUsageDescription"])
        #expect(!declaration.findings().contains { $0.rules.contains(.relaunch04) || $0.rules.first?.rawValue == rule })
    }

    @Test("ends with prefixes of a source of every length, modulo 13") func prefixes() {
        let text = Self.correct + "\nlet a = #\"raw \\#(b) \"# + \"\\(c(\"d\"))\" /* open"
        for (count, end) in text.indices.enumerated() where count % 13 == 0 { _ = findings(String(text[..<end])) }
    }

    @Test("finds nothing in the example app") func example() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/examples/GeofenceApp")
        var files = SourceFiles()
        let isSource = files.add(root.path)
        #expect(!isSource)
        #expect(files.files.count >= 2)
        var declarations = DeclarationFiles()
        declarations.add(root.path)
        let found = SourceLint(files.files, declaration: declarations.declaration, hasInfoPlist: true).run()
        #expect(found.isEmpty, "\(found)")
    }
}
