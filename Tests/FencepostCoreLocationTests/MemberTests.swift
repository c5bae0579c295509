import FencepostCoreLocation
import FencepostSimulator
import Foundation
import Testing

/// Records headings and the refinements of a monitor's events.
@MainActor private final class Compass: NSObject, @MainActor CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var headings: [Double] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        headings.append(newHeading.trueHeading)
    }
}

/// Watches any beacon of a UUID.
@MainActor private final class BeaconWatch {
    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private(set) var refinements: [CLMonitor.BeaconIdentityCondition?] = []
    private var task: Task<Void, any Error>?

    init() {
        task = Task { @MainActor [weak self] in
            let monitor = await CLMonitor("beacons")
            await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: Self.uuid), identifier: "any")
            for try await event in await monitor.events {
                self?.refinements.append(event.refinement as? CLMonitor.BeaconIdentityCondition)
            }
        }
    }
}

@MainActor @Suite("Members") struct MemberTests {
    /// The settable or informative members of the manager and of a monitor's event that change nothing, with the reason.
    static let inert: [String: String] = [
        "activityType": "No source says how it changes the time of a pause.",
        "headingBody": "The simulated device has one body.",
        "isAuthorizedForWidgetUpdates": "There are no widgets.",
        "conditionUnsupported": "The device supports every condition.",
        "persistenceUnavailable": "An app of the test handle is launched after the first unlock.",
    ]
    /// The members whose effect a test of this target shows.
    static let effective: Set = [
        "desiredAccuracy", "distanceFilter", "headingFilter", "headingOrientation",
        "pausesLocationUpdatesAutomatically",
        "allowsBackgroundLocationUpdates", "showsBackgroundLocationIndicator", "authorizationStatus",
        "accuracyAuthorization", "location", "heading", "maximumRegionMonitoringDistance", "monitoredRegions",
        "rangedBeaconConstraints", "rangedRegions", "delegate", "identifier", "state", "date", "refinement",
        "authorizationDenied", "authorizationDeniedGlobally", "authorizationRestricted",
        "authorizationRequestInProgress", "accuracyLimited", "conditionLimitExceeded", "insufficientlyInUse",
        "serviceSessionRequired",
    ]

    /// The names of the public properties of a type in a source file.
    private static func properties(in file: String, from start: String, to end: String) throws -> Set<String> {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/FencepostCoreLocation/Types")
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let first = try #require(text.range(of: start)).upperBound
        let last = try #require(text.range(of: end, range: first..<text.endIndex)).lowerBound
        return Set(
            text[first..<last].matches(
                of: #/\n *(?:open|public)(?: (?:private|internal)\(set\))?(?: weak)? (?:var|let) (\w+)/#
            ).map { String($0.1) })
    }

    @Test("of a manager and of an event have an effect, or a reason why they have none") func members() throws {
        let manager = try Self.properties(
            in: "CLLocationManager.swift", from: "open class CLLocationManager", to: "// MARK: Asking")
        let event = try Self.properties(
            in: "CLMonitor.swift", from: "public struct Event: Sendable", to: "/// The sequence of a monitor's events")
        #expect(manager.count > 15 && event.count > 10)
        for name in manager.union(event).union(["rangedRegions"]) {
            #expect(Self.effective.contains(name) != (Self.inert[name] != nil), "\(name)")
        }
        #expect(Self.effective.union(Self.inert.keys).subtracting(manager).subtracting(event) == ["rangedRegions"])
    }

    @Test("of the heading filter, turn or hold headings back") func headings() throws {
        let (device, app) = try open(.iPhone(.whenInUse)) { Compass() }
        device.run {
            app.manager.headingFilter = 20
            app.manager.startUpdatingHeading()
        }
        for degrees in [10.0, 15, 25, 31, 359] { device.turn(to: degrees) }
        #expect(app.headings == [10, 31, 359])
        device.run { app.manager.headingOrientation = .landscapeLeft }
        device.turn(to: 300)
        #expect(app.headings.last == 30 && app.manager.heading?.trueHeading == 30)
        let heading = try #require(app.manager.heading)
        #expect(abs(heading.x + 10) < 1e-9 && abs(heading.y - 20 * 0.75.squareRoot()) < 1e-9 && heading.z == -40)
    }

    @Test("of an event name the beacon that satisfied a condition with wildcards") func refinement() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { BeaconWatch() })
        #expect(await device.settle(loops: 1))
        device.detect(beacon: BeaconWatch.uuid, major: 7, minor: 9, proximity: .near, accuracy: 1)
        device.perform(.event(ServiceEvent(.clMonitorBeacon, .satisfied, identifier: "any")))
        await device.settle()
        let named = try #require(app.refinements.last ?? nil)
        #expect(named.major == 7 && named.minor == 9)
    }
}
