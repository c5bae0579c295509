import FencepostCoreLocation
import FencepostSimulator
import Testing

/// An app that keeps a list of coarse moves. Like an app delegate it gets to know whether a location launched it.
private final class MoveApp: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var moves = 0

    init(startsServices: Bool) {
        super.init()
        manager.delegate = self
        if startsServices { manager.startMonitoringSignificantLocationChanges() }
    }

    func begin() { manager.startMonitoringSignificantLocationChanges() }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) { moves += 1 }
}

/// The launch options of an app delegate, and what a scene-based app misses.
@Suite("Launch code that looks for the location key") struct SceneTests {
    /// An app that starts its service in a launch only when the options have the key, and is swiped away.
    private func walk(_ entries: [String]) throws -> (device: SimulatedDevice, app: MoveApp?) {
        var state = DeviceState.iPhone(.always, .newest)
        state.infoPlist.entries += entries
        let device = SimulatedDevice(state, at: Berlin.office)
        let app = try #require(device.launch { MoveApp(startsServices: device.hasLocationLaunchKey) })
        #expect(!device.hasLocationLaunchKey, "the user opened it")
        device.run { app.begin() }
        device.enterBackground()
        device.terminate(by: .user)
        device.move(to: Berlin.north(3000), speed: 5)
        return (device, device.app(as: MoveApp.self))
    }

    @Test("finds it in an app with an app delegate")
    func appDelegate() throws {
        let (device, app) = try walk([])
        #expect(device.launches == 1 && device.hasLocationLaunchKey)
        #expect((app?.moves ?? 0) >= 1)
    }

    @Test("stays silent in a scene-based app, which is launched all the same")
    func scenes() throws {
        let (device, app) = try walk(["UIApplicationSceneManifest:UISceneConfigurations"])
        #expect(device.launches == 1 && !device.hasLocationLaunchKey)
        #expect(app?.moves == 0)
        let lost = try #require(device.deliveries.first { $0.relaunch })
        #expect(lost.outcome == .lost && lost.decidingRule == .relaunch33)
        #expect(lost.rules.contains(.relaunch31))
    }

    @Test("does not run at all without scenes, when it is built with SDK 27")
    func withoutScenes() throws {
        var state = DeviceState.iPhone(.always, .newest)
        state.infoPlist.entries.append("DTSDKName:iphoneos27.0")
        let device = SimulatedDevice(state, at: Berlin.office)
        #expect(device.launch { MoveApp(startsServices: true) } == nil)
        #expect(device.crash?.rule == .relaunch32)
    }
}
