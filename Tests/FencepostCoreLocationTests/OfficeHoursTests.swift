// The example of docs/core-location/testing.md in one file.
import FencepostCoreLocation
import FencepostSimulator
import Testing

/// Notes when its user leaves the office and comes back.
@MainActor final class OfficeHours: NSObject, @MainActor CLLocationManagerDelegate {
    private(set) var notes: [String] = []
    private let manager = CLLocationManager()
    private let office = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405), radius: 200, identifier: "office")

    override init() {
        super.init()
        manager.delegate = self
    }

    func userWantsNotes() { manager.requestAlwaysAuthorization() }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        switch manager.authorizationStatus {
        case .authorizedAlways: manager.startMonitoring(for: office)
        case .authorizedWhenInUse: notes.append("only while open")
        case .notDetermined: break
        case .restricted, .denied: notes.append("not allowed")
        @unknown default: break
        }
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        notes.append("left \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        notes.append("came to \(region.identifier)")
    }
}

@MainActor @Test("The exit waits for the second prompt, and then launches the app")
func leavingTheOffice() throws {
    var state = DeviceState()
    state.osVersion = OSVersion(18, 2)
    state.infoPlist = PropertyKeys([
        "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
    ])
    let office = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)
    let home = CLLocationCoordinate2D(latitude: 52.54, longitude: 13.405)

    let device = SimulatedDevice(state, at: office)
    let app = try #require(device.launch { OfficeHours() })
    device.run { app.userWantsNotes() }
    #expect(device.prompt?.kind == .first)
    device.answer(.allowWhileUsing)
    #expect(device.grant == .provisionalAlways)  // the API reports authorizedAlways

    device.enterBackground()
    device.terminate(by: .user)  // swiped away
    device.move(to: home, speed: 5)
    #expect(device.deliveries.last?.outcome == .held)

    device.showSecondPrompt()
    device.answer(.changeToAlwaysAllow)
    let launched = try #require(device.app(as: OfficeHours.self))
    #expect(launched.notes == ["left office"])

    device.terminate(by: .system)
    device.move(to: office, speed: 5)
    device.wait(.seconds(20))
    let arrival = try #require(device.deliveries.last)
    #expect(arrival.relaunch)
    #expect(device.app(as: OfficeHours.self)?.notes == ["came to office"])
    #expect(arrival.decidingRule == .relaunch04)
}
