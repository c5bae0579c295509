import FencepostSimulator
import Testing

@testable import FencepostAppCommands

/// Where an app makes its manager, and whether a launch in the background gets there.
@Suite("The lint of launches") struct LaunchCodeTests {
    private func findings(_ files: [String], hasOtherCode: Bool = false, hasScenes: Bool = true) -> [SourceFinding] {
        var declaration = AppDeclaration()
        declaration.infoPlist = PropertyKeys(
            ["NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"]
                + (hasScenes ? ["UIApplicationSceneManifest"] : []))
        let sources = files.enumerated().map { (path: "\($0).swift", text: $1) }
        return SourceLint(sources, declaration: declaration, hasInfoPlist: true, hasOtherCode: hasOtherCode).run()
    }

    private func found(_ files: String...) -> [String] {
        findings(files).map { "\($0.path.prefix(1)):\($0.line) \($0.rules.first?.rawValue ?? "")" }
    }

    private static let store = """
        import CoreLocation
        final class LocationStore: NSObject, CLLocationManagerDelegate {
            static let shared = LocationStore()
            private let manager = CLLocationManager()
            override init() { super.init(); manager.delegate = self }
            func begin() { manager.startMonitoring(for: region) }
            func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
        }
        """
    private static let view = """
        import SwiftUI
        struct MapView: View {
            var body: some View { Text("Map").onAppear { LocationStore.shared.begin() } }
        }
        """

    private func app(_ members: String, scene: String = "MapView()") -> String {
        "import SwiftUI\n@main struct MapApp: App {\n\(members)\nvar body: some Scene { WindowGroup { \(scene) } }\n}"
    }

    @Test("reports a singleton that only a view touches") func singleton() {
        #expect(found(Self.store, Self.view, app("")) == ["0:4 RELAUNCH-21"])
        let effect = findings([Self.store, Self.view, app("")]).first?.effect ?? ""
        #expect(effect.contains("uses LocationStore:"))
        #expect(
            effect.hasSuffix("Use LocationStore.shared in the app delegate's didFinishLaunching or in the app's init."))
    }

    @Test(
        "accepts what the app makes at each launch",
        arguments: [
            "init() { LocationStore.shared.begin() }",
            "init() { _ = LocationStore.shared }",
            "init() { start() }\n    private func start() { Task { await LocationStore.shared.begin() } }",
            "@StateObject private var store = LocationStore.shared",
            "@State private var store = LocationStore()",
            "let container = Container()",
            "@UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate",
            "init() { Services.start() }",
            "init() { places.begin() }",
            "init() { UIApplication.shared.prepare() }",
            "init() { Feature.make().launch() }",
        ])
    func launch(member: String) {
        let other = """
            final class Container { lazy var store = LocationStore(); init() { store.begin() } }
            class AppDelegate: NSObject, UIApplicationDelegate {
                func application(_ a: UIApplication, didFinishLaunchingWithOptions o: Options? = nil) -> Bool {
                    setUp()
                    return true
                }
                private func setUp() { Services.start() }
            }
            enum Services { static func start() { LocationStore.shared.begin() } }
            let places = LocationStore()
            extension UIApplication { func prepare() { LocationStore.shared.begin() } }
            protocol Launching { func launch() }
            struct Feature: Launching {
                static func make() -> any Launching { Feature() }
                func launch() { LocationStore.shared.begin() }
            }
            """
        // The delegate of the other source is the app's only where the app names it.
        let text = member.contains("AppDelegate") ? other : other.replacing("UIApplicationDelegate", with: "Watching")
        #expect(found(Self.store, Self.view, app(member), text).isEmpty)
    }

    @Test(
        "reports what the app makes for its views alone",
        arguments: [
            ("", "MapView().onAppear { LocationStore.shared.begin() }"),
            ("", "MapView().task { await LocationStore.shared.begin() }"),
            ("func later() { LocationStore.shared.begin() }", "MapView()"),
            ("static func begin() { LocationStore.shared.begin() }", "MapView()"),
            ("init() { Analytics.shared.begin() }", "MapView()"),
            ("@State private var settings = Settings()", "MapView().environment(settings)"),
        ])
    func interface(member: String, scene: String) {
        let other = """
            final class Analytics { static let shared = Analytics(); func begin() { print("begun") } }
            @Observable final class Settings { var isOn = false; func turnOn() { LocationStore.shared.begin() } }
            """
        #expect(found(Self.store, Self.view, app(member, scene: scene), other) == ["0:4 RELAUNCH-21"])
    }

    @Test("reports a model of a view, and the delegate of a scene", arguments: ["@StateObject", "@State", "let"])
    func models(wrapper: String) {
        let declaration = wrapper == "let" ? "let" : "\(wrapper) private var"
        let view =
            "struct MapView: View {\n\(declaration) model = LocationStore()\nvar body: some View { Text(\"\") } }"
        #expect(found(Self.store, view, app("")) == ["0:4 RELAUNCH-21"])
        let scene = """
            class SceneDelegate: UIResponder, UIWindowSceneDelegate {
                let store = LocationStore()
                func scene(_ s: UIScene, willConnectTo session: UISceneSession, options o: UIScene.ConnectionOptions) {
                    store.begin()
                }
            }
            """
        let delegate = """
            @main class AppDelegate: UIResponder, UIApplicationDelegate {
                func application(
                    _ a: UIApplication, configurationForConnecting s: UISceneSession, options: UIScene.ConnectionOptions
                ) -> UISceneConfiguration {
                    configuration.delegateClass = SceneDelegate.self
                    return configuration
                }
                func applicationDidBecomeActive(_ application: UIApplication) { LocationStore.shared.begin() }
            }
            """
        #expect(found(Self.store, scene, delegate) == ["0:4 RELAUNCH-21"])
    }

    @Test("reports a monitor that only a view opens") func monitor() {
        let model = """
            import CoreLocation
            @Observable final class Places {
                private var session: CLServiceSession?
                func watch() async throws {
                    session = CLServiceSession(authorization: .always)
                    let monitor = await CLMonitor("places")
                    for try await event in await monitor.events { print(event) }
                }
            }
            """
        let view =
            "struct MapView: View { @State var places = Places(); var body: some View { Text(\"\").task { try? await places.watch() } } }"
        #expect(found(model, view, app("")) == ["0:5 RELAUNCH-14", "0:6 RELAUNCH-25"])
        #expect(found(model, view, app("let places = Places()\ninit() { Task { try await places.watch() } }")).isEmpty)
    }

    @Test("follows what a framework calls, and the attributes of properties") func frameworks() {
        let dependency = """
            struct Client { let begin: () -> Void; static let live = Client { LocationStore.shared.begin() } }
            extension Dependencies { var client: Client { self[Client.self] } }
            struct Injected { @Injected(\\.client) private var other: Any }
            """
        func feature(_ body: String) -> String {
            "struct Feature: Reducer {\n@Dependency(\\.client) var it\n\(body)\n}"
        }
        let store = "static let store = Store { Feature() }\ninit() { Self.store.send(.begun) }"
        #expect(
            found(Self.store, app(store), dependency, feature("var body: some Reducer { Reduce { _ in it.begin() } }"))
                .isEmpty)
        #expect(
            found(Self.store, app(store), dependency, feature("func reduce(into state: inout State) { it.begin() }"))
                .isEmpty)
        #expect(found(Self.store, app("init() { _ = Injected() }"), dependency).isEmpty)
        #expect(found(Self.store, app(""), dependency, feature("")) == ["0:4 RELAUNCH-21"])
        let registration = """
            extension Resolver: Registering { static func registerAll() { register { LocationStore() as any Storing } } }
            protocol Storing { func begin() }
            extension LocationStore: Storing {}
            """
        let injected = app("@Injected private var store: any Storing\ninit() { store.begin() }")
        #expect(found(Self.store, injected, registration).isEmpty)
        // What has no parameters and is not named does not run.
        let idle = "final class Idle { func begin2() { LocationStore.shared.begin() } }"
        #expect(found(Self.store, app("let idle = Idle()"), idle) == ["0:4 RELAUNCH-21"])
    }

    @Test("says nothing where other code may run at a launch, or nothing launches") func unknown() {
        let files = [Self.store, Self.view, app("")]
        #expect(findings(files, hasOtherCode: true).isEmpty)
        #expect(findings([Self.store, Self.view]).isEmpty)
        #expect(findings(files + ["import Flutter"]).isEmpty)
        // Without scenes the first view controller may be made at each launch.
        let delegate = """
            @main class AppDelegate: UIResponder, UIApplicationDelegate {
                func application(_ a: UIApplication, didFinishLaunchingWithOptions o: Options?) -> Bool { true }
            }
            """
        #expect(findings([Self.store, Self.view, delegate], hasScenes: false).map(\.rules.first) == [.relaunch32])
        #expect(findings([Self.store, Self.view, delegate]).map(\.rules.first) == [.relaunch21])
    }

    @Test("follows an app's start through sources without a word of Core Location") func otherSources() {
        let store = Self.store.replacing(
            "startMonitoring(for: region)", with: "startMonitoringSignificantLocationChanges()")
        #expect(
            found(
                store, app("init() { Launch.run() }"),
                "enum Launch { static func run() { LocationStore.shared.begin() } }"
            ).isEmpty)
        #expect(found(store, app("init() { _ = LocationStore.shared }")) == ["0:6 RELAUNCH-22"])
    }
}
