import FencepostCoreLocation
import FencepostSimulator
import Testing

/// An app that stops its updates in the first callback.
@MainActor final class OneFixApp: NSObject, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var count = 0
    var stopsInCallback = false

    override init() {
        super.init()
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        count += locations.count
        if stopsInCallback { manager.stopUpdatingLocation() }
    }
}

@Suite("Updates that the app stops in a callback") struct StopInCallbackTests {
    /// Moves the device while the app is suspended, so that locations wait for it, and opens the app.
    @MainActor private func received(stopsInCallback: Bool) throws -> (count: Int, dropped: Int) {
        var state = DeviceState.iPhone(.always)
        state.infoPlist = PropertyKeys(["NSLocationWhenInUseUsageDescription"])
        let device = SimulatedDevice(state, at: Berlin.office)
        let app = try #require(device.launch { OneFixApp() })
        let before = app.count
        device.enterBackground()
        device.wait(.seconds(60))
        device.move(to: Berlin.north(50), speed: 10)
        device.run { app.stopsInCallback = stopsInCallback }
        device.enterForeground()
        let dropped = device.deliveries.count { $0.settled?.outcome == .dropped }
        return (app.count - before, dropped)
    }

    @MainActor @Test("deliver nothing more, although locations wait") func stop() throws {
        let all = try received(stopsInCallback: false)
        #expect(all.count > 1 && all.dropped == 0)
        let first = try received(stopsInCallback: true)
        #expect(first.count == 1 && first.dropped == all.count - 1)
    }
}
