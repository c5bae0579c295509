import FencepostCoreLocation
import FencepostSimulator
import Testing

/// App code without an actor, with both status callbacks, headings and beacons.
private final class PlainApp: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    var received: [String] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        received.append("status \(status.rawValue)")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        received.append("heading \(newHeading.trueHeading)")
    }

    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        received.append("beacons \(beacons.map(\.minor))")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        received += locations.map { "at \($0.coordinate.latitude)" }
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        received.append("enter \(region.identifier) \(region is CLBeaconRegion)")
    }
}

@Suite("Core Location's names") struct CompatibilityTests {
    @Test("have Core Location's raw values and constants")
    func values() {
        let statuses: [CLAuthorizationStatus] = [
            .notDetermined, .restricted, .denied, .authorizedAlways, .authorizedWhenInUse,
        ]
        #expect(statuses.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect((CLError(.promptDeclined) as NSError).code == 18)
        #expect((CLError(.regionMonitoringFailure) as NSError).domain == kCLErrorDomain)
        #expect(CLRegionState.inside.rawValue == 1)
        #expect(kCLLocationAccuracyBest == -1)
    }

    @Test("serve apps off the main actor, and delegates that know the older callback alone")
    func plainApp() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse))
        let app = try #require(device.launch { PlainApp() })
        #expect(app.received == ["status 4"])
        device.run { app.manager.startUpdatingHeading() }
        device.turn(to: -90)
        #expect(app.received.last == "heading 270.0")

        let uuid = UUID()
        device.run {
            app.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 7))
            app.manager.startMonitoring(for: CLBeaconRegion(uuid: uuid, identifier: "shelf"))
        }
        device.detect(beacon: uuid, major: 7, minor: 2, proximity: .near, accuracy: 1)
        #expect(app.received.last == "beacons [2]")
        device.detect(beacon: uuid, major: 8, minor: 3, proximity: .near, accuracy: 1)
        #expect(app.received.last == "beacons []")
        device.perform(.event(ServiceEvent(.regionBeacon, .enter, identifier: "shelf")))
        #expect(app.received.last == "enter shelf true")
    }

    @Test("let the distance filter of each manager through what it asks for", arguments: [(50.0, 5), (-1, 21)])
    func distanceFilter(metres: Double, updates: Int) throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { PlainApp() })
        device.run {
            app.manager.distanceFilter = metres
            app.manager.startUpdatingLocation()
        }
        device.move(to: Berlin.north(205), speed: 10)
        #expect(abs(app.received.count { $0.hasPrefix("at") } - updates) <= 1)
        #expect(app.manager.location?.speed == 0, "it rests")
    }

    @Test("keep simultaneous devices separate", arguments: 1...8)
    func keepsDevicesSeparate(number: Int) async throws {
        let grant: Grant = number.isMultiple(of: 2) ? .always : .denied
        let device = SimulatedDevice(.iPhone(grant), at: Berlin.office)
        let app = try #require(device.launch { PlainApp() })
        for _ in 0..<20 {
            await device.move(to: Berlin.north(Double(number)), speed: 1)
            #expect(app.manager.authorizationStatus == (grant == .always ? .authorizedAlways : .denied))
        }
        #expect(app.received == ["status \(grant == .always ? 3 : 2)"])
    }

    @Test("refuse location pushes that nothing entitles to")
    func pushes() throws {
        let device = SimulatedDevice(.iPhone(.always))
        let app = try #require(device.launch { PlainApp() })
        var codes: [CLLocationPushServiceError.Code?] = []
        device.run {
            app.manager.startMonitoringLocationPushes { _, error in
                codes.append((error as? CLLocationPushServiceError)?.code)
            }
        }
        #expect(codes == [.missingEntitlement])
    }

    @Test("measure over the ellipsoid, and contain what is within the radius")
    func geometry() {
        let paris = CLLocation(latitude: 48.8566, longitude: 2.3522)
        let london = CLLocation(latitude: 51.5074, longitude: -0.1278)
        #expect(abs(paris.distance(from: london) - 343_923) < 5)
        let region = CLCircularRegion(center: paris.coordinate, radius: 343_900, identifier: "reach")
        #expect(!region.contains(london.coordinate))
        #expect(region.contains(paris.coordinate))
    }
}
