import FencepostCoreLocation
import FencepostSimulator
import Testing

/// What an app's own tests put in place of the manager.
private final class ManagerOfTests: CLLocationManager {
    var requests = 0
    override var authorizationStatus: CLAuthorizationStatus { .authorizedWhenInUse }
    override var location: CLLocation? { LocationOfTests(latitude: 1, longitude: 2) }
    override func requestWhenInUseAuthorization() { requests += 1 }
    override func startUpdatingLocation() {
        delegate?.locationManager(self, didUpdateLocations: [CLLocation(latitude: 3, longitude: 4)])
    }
    override class func locationServicesEnabled() -> Bool { true }
}

private final class LocationOfTests: CLLocation, @unchecked Sendable {  // because it stores nothing
    override var horizontalAccuracy: CLLocationAccuracy { 7 }
}

private final class VisitOfTests: CLVisit, @unchecked Sendable {  // because its stay never changes
    private let stay: DateInterval
    init(_ stay: DateInterval) {
        self.stay = stay
        super.init()
    }
    required init?(coder: NSCoder) { nil }
    override var arrivalDate: Date { stay.start }
    override var departureDate: Date { stay.end }
    override var coordinate: CLLocationCoordinate2D { Berlin.office }
}

private final class Receiver: NSObject, CLLocationManagerDelegate {
    var received: [CLLocation] = []
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        received += locations
    }
}

/// The deprecated calls of an old app, through a protocol because a test that uses them would not compile.
private protocol OldCalls {
    func range(_ uuid: UUID)
    func stopRanging() -> Bool
    func deferUpdates()
    var canDefer: Bool { get }
    var status: CLAuthorizationStatus { get }
}

/// Ranging, deferred updates and the names from before iOS 13.
private final class OldApp: NSObject, CLLocationManagerDelegate, OldCalls {
    let manager = CLLocationManager()
    var received: [String] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    @available(*, deprecated) func range(_ uuid: UUID) {
        manager.startRangingBeacons(in: CLBeaconRegion(proximityUUID: uuid, major: 1, identifier: "shelf"))
    }

    @available(*, deprecated) func stopRanging() -> Bool {
        guard let region = manager.rangedRegions.first as? CLBeaconRegion else { return false }
        manager.stopRangingBeacons(in: region)
        return manager.rangedRegions.isEmpty
    }

    @available(*, deprecated) func deferUpdates() {
        manager.allowDeferredLocationUpdates(untilTraveled: CLLocationDistanceMax, timeout: CLTimeIntervalMax)
    }

    @available(*, deprecated) var canDefer: Bool { CLLocationManager.deferredLocationUpdatesAvailable() }
    @available(*, deprecated) var status: CLAuthorizationStatus { CLLocationManager.authorizationStatus() }

    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
        received += beacons.map { "\(region.identifier) \($0.major).\($0.minor)" }
    }

    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        received.append("deferred \((error as? CLError)?.code == .deferredFailed)")
    }
}

/// The classes can be subclassed, archived and copied as Core Location's can.
@Suite("Core Location's classes") struct SubclassTests {
    @Test("can be replaced by an app's own in its tests")
    func subclasses() throws {
        let device = SimulatedDevice(.iPhone())
        let receiver = Receiver()
        device.launch { receiver }
        device.run {
            let manager = ManagerOfTests()
            manager.delegate = receiver
            manager.requestWhenInUseAuthorization()
            manager.startUpdatingLocation()
            #expect(manager.requests == 1 && device.prompt == nil)
            #expect(manager.location?.horizontalAccuracy == 7)
            #expect(manager.location?.coordinate.longitude == 2)
        }
        #expect(receiver.received.map(\.coordinate.latitude) == [3])
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        let visit = VisitOfTests(DateInterval(start: start, duration: 600))
        #expect(visit.departureDate.timeIntervalSince(visit.arrivalDate) == 600)
        #expect(CLLocation().horizontalAccuracy == 0 && CLLocation().coordinate.latitude == 0)
        #expect(CLVisit().departureDate == .distantFuture)
    }

    @Test("survive an archive")
    func archives() throws {
        func copy<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
        }
        let location = CLLocation(
            coordinate: Berlin.office, altitude: 34, horizontalAccuracy: 5, verticalAccuracy: 6, course: 90, speed: 2,
            timestamp: Date(timeIntervalSince1970: 1_790_000_000.25))
        let read = try #require(try copy(location))
        #expect(read == location && read.courseAccuracy == -1)
        #expect(read.sourceInformation?.isSimulatedBySoftware == true)

        let circle = CLCircularRegion(center: Berlin.office, radius: 120, identifier: "office")
        circle.notifyOnExit = false
        let region = try #require(try copy(circle))
        #expect(region.radius == 120 && region.center.longitude == 13.405)
        #expect(!region.notifyOnExit && region.notifyOnEntry && region == circle)

        let beacons = CLBeaconRegion(uuid: UUID(), major: 7, identifier: "shelf")
        beacons.notifyEntryStateOnDisplay = true
        let shelf = try #require(try copy(beacons))
        #expect(shelf.beaconIdentityConstraint == beacons.beaconIdentityConstraint && shelf.minor == nil)
        #expect(shelf.notifyEntryStateOnDisplay)

        let copied = try #require(circle.copy() as? CLCircularRegion)
        copied.notifyOnEntry = false
        #expect(circle.notifyOnEntry && copied.radius == 120)
    }

    @Test("keep the names from before iOS 13")
    func oldNames() throws {
        let (device, app) = try open(.iPhone(.whenInUse)) { OldApp() }
        let old: any OldCalls = app
        let uuid = UUID()
        device.run { old.range(uuid) }
        device.detect(beacon: uuid, major: 1, minor: 2, proximity: .near, accuracy: 1)
        #expect(app.received == ["shelf 1.2"])
        #expect(device.run { old.stopRanging() })
        device.detect(beacon: uuid, major: 1, minor: 2, proximity: .near, accuracy: 1)
        #expect(app.received.count == 1)
        device.run { old.deferUpdates() }
        #expect(app.received.last == "deferred true")
        #expect(device.run { old.canDefer } == false)
        #expect(device.run { old.status } == .authorizedWhenInUse)
    }

    @Test("carry the details of an error")
    func errors() {
        let error = CLError(.network, userInfo: [NSLocalizedDescriptionKey: "no signal"])
        #expect(error.localizedDescription == "no signal")
        #expect(error == CLError(.network) && error.alternateRegion == nil)
        #expect((error as NSError).domain == kCLErrorDomain)
    }

    @Test("write conditions of a monitor as JSON")
    func conditions() throws {
        let condition = CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 3)
        let data = try JSONEncoder().encode(condition)
        #expect(try JSONDecoder().decode(CLMonitor.BeaconIdentityCondition.self, from: data) == condition)
        let circle = CLMonitor.CircularGeographicCondition(center: Berlin.office, radius: 90)
        let read = try JSONDecoder().decode(
            CLMonitor.CircularGeographicCondition.self, from: JSONEncoder().encode(circle))
        #expect(read.radius == 90 && read.center.latitude == 52.52)
    }
}
