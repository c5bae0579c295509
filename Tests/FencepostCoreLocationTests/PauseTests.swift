import FencepostCoreLocation
import FencepostSimulator
import Testing

/// An app that tracks in the background and records what the system reports of its updates.
@MainActor final class Tracker: NSObject, @MainActor CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var received: [String] = []

    override init() {
        super.init()
        manager.delegate = self
        manager.allowsBackgroundLocationUpdates = true
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        received.append("location")
    }
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { received.append("paused") }
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { received.append("resumed") }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        received.append("exit")
        manager.startUpdatingLocation()
    }
}

@MainActor @Suite("Updates of a tracking app") struct PauseTests {
    @Test("pause at rest, and come back only when the app starts them again") func pause() throws {
        let (device, app) = try open(.iPhone(.always)) { Tracker() }
        device.run { app.manager.startUpdatingLocation() }
        device.wait(.seconds(800))
        #expect(app.received == ["location"])
        device.wait(.seconds(200))
        #expect(app.received == ["location", "paused"])
        device.move(to: Berlin.north(100))
        #expect(app.received == ["location", "paused"])
        device.run { app.manager.startUpdatingLocation() }
        #expect(app.received == ["location", "paused", "resumed", "location"])
    }

    @Test("do not pause when the app turns it off, or while the device moves") func noPause() throws {
        let (device, app) = try open(.iPhone(.always)) { Tracker() }
        device.run {
            app.manager.startUpdatingLocation()
            app.manager.pausesLocationUpdatesAutomatically = false
        }
        device.enterBackground()
        device.wait(.seconds(7200))
        #expect(app.received == ["location"] && device.lifecycle == .backgroundRunning)

        let (moving, other) = try open(.iPhone(.always)) { Tracker() }
        moving.run { other.manager.startUpdatingLocation() }
        moving.move(to: Berlin.north(20_000))
        #expect(!other.received.contains("paused"))
    }

    @Test("keep the app running by the settings of its manager, from iOS 16.4", arguments: [nil, 25.0]) func filter(
        distance: Double?
    ) throws {
        let (device, app) = try open(.iPhone(.always, OSVersion(26, 2))) { Tracker() }
        device.run { app.manager.startUpdatingLocation() }
        if let distance { device.run { app.manager.distanceFilter = distance } }
        device.enterBackground()
        device.wait(.seconds(60))
        #expect(device.lifecycle == (distance == nil ? .backgroundRunning : .suspended))
    }

    @Test("start after a launch by a region, and run on") func relaunch() throws {
        let (device, app) = try open(.iPhone(.always, OSVersion(26, 2))) { Tracker() }
        device.run {
            app.manager.startMonitoring(
                for: CLCircularRegion(center: Berlin.office, radius: 200, identifier: "office"))
        }
        device.terminate(by: .system)
        device.move(to: Berlin.north(1500))
        device.wait(.seconds(20))
        device.move(to: Berlin.north(3000))
        let launched = try #require(device.app(as: Tracker.self))
        #expect(launched.received.first == "exit" && launched.received.count > 20)
        #expect(device.lifecycle == .backgroundRunning)
    }
}
