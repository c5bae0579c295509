import FencepostCoreLocation
import FencepostSimulator
import Foundation

/// An app as its developer would write it, with the recorder: it monitors its office, asks in two steps, and re-arms at
/// every launch.
@MainActor final class RecordedApp: NSObject, @MainActor CLLocationManagerDelegate {
    let recorder: LocationRecorder
    private let manager = CLLocationManager()
    private let office = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405), radius: 200, identifier: "office")
    private(set) var received: [String] = []

    init(_ environment: LocationRecorder.Environment) {
        recorder = LocationRecorder(environment: environment)
        super.init()
        manager.delegate = self
    }

    func ask() {
        recorder.requested("always")
        manager.requestAlwaysAuthorization()
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        guard manager.authorizationStatus == .authorizedAlways else { return }
        guard !manager.monitoredRegions.contains(office) else { return }
        recorder.started(office)
        manager.startMonitoring(for: office)
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { received.append("exit") }
}

/// Recordings that the tests make with a simulated device: logs and scenarios in `Recorded`.
@MainActor enum RecordedWalks {
    static let office = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)
    /// Two kilometres to the north.
    static let park = CLLocationCoordinate2D(latitude: 52.538, longitude: 13.405)
    nonisolated static let names = ["second-prompt", "swiped-away", "never-launched"]

    /// The log of a walk, by its name.
    static func log(_ name: String) -> [String] {
        switch name {
        case "second-prompt": walk(.notDetermined, version: OSVersion(18, 4), launchesApp: true, secondPrompt)
        case "swiped-away": walk(.always, version: OSVersion(26, 2, 1), launchesApp: true, swipedAway)
        default: walk(.always, version: OSVersion(26, 4, 2), launchesApp: false, neverLaunched)
        }
    }

    private final class Lines {
        var all: [String] = []
    }

    private static func walk(
        _ grant: Grant, version: OSVersion, launchesApp: Bool,
        _ steps: (SimulatedDevice, (SimulatedDevice, String) -> Void) -> Void
    ) -> [String] {
        var state = DeviceState()
        (state.osVersion, state.grant) = (version, grant)
        state.infoPlist = PropertyKeys([
            "NSLocationAlwaysAndWhenInUseUsageDescription", "NSLocationWhenInUseUsageDescription",
            "UIApplicationSceneManifest",
        ])
        let device = SimulatedDevice(state, at: office, start: Date(timeIntervalSince1970: 1_789_000_000))
        let lines = Lines()
        func launch() {
            device.launch { [unowned device] in
                var environment = LocationRecorder.Environment()
                environment.write = { lines.all.append($0) }
                environment.now = { [unowned device] in device.now }
                (environment.device, environment.system) = ("iPhone14,2", "\(version)")
                (environment.kind, environment.infoPlist) = ("made", state.infoPlist.entries)
                environment.isInBackground = device.lifecycle != .foreground
                return RecordedApp(environment)
            }
        }
        launch()
        steps(device) { device, call in device.app(as: RecordedApp.self)?.recorder.record(call) }
        return lines.all
    }

    private static func leave(_ device: SimulatedDevice, _ record: (SimulatedDevice, String) -> Void) {
        device.wait(.seconds(30))
        record(device, "background")
        device.enterBackground()
        device.wait(.seconds(600))
    }

    /// The user allows While Using in the first prompt; the system asks again when the first event comes.
    private static func secondPrompt(_ device: SimulatedDevice, _ record: (SimulatedDevice, String) -> Void) {
        device.run { device.app(as: RecordedApp.self)?.ask() }
        device.answer(.allowWhileUsing)
        leave(device, record)
        device.move(to: park, speed: 5)
        device.wait(.seconds(60))
        device.showSecondPrompt()
        device.answer(.changeToAlwaysAllow)
        device.wait(.seconds(60))
    }

    /// The user closes the app in the app switcher and walks out of the region; the app is launched.
    private static func swipedAway(_ device: SimulatedDevice, _ record: (SimulatedDevice, String) -> Void) {
        leave(device, record)
        record(device, "terminate")
        device.terminate(by: .user)
        device.wait(.seconds(300))
        device.move(to: park, speed: 5)
        device.wait(.seconds(60))
    }

    /// As before, but the app does not come up, as one report about 26.4.2 says (DISPUTE-15). The simulated device would
    /// launch it, so it does not move, and the line of the event is added by hand.
    private static func neverLaunched(_ device: SimulatedDevice, _ record: (SimulatedDevice, String) -> Void) {
        leave(device, record)
        let recorder = device.app(as: RecordedApp.self)?.recorder
        record(device, "terminate")
        device.terminate(by: .user)
        device.wait(.seconds(300))
        recorder?.missed("regionCircular", "exit", identifier: "office")
    }
}
