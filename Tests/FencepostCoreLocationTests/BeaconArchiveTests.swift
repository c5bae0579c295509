import FencepostCoreLocation
import FencepostSimulator
import Foundation
import Testing

/// Keeps the beacons that it ranges.
@MainActor private final class Ranging: NSObject, @MainActor CLLocationManagerDelegate {
    let manager = CLLocationManager()
    var beacons: [CLBeacon] = []
    override init() {
        super.init()
        manager.delegate = self
    }
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) { self.beacons = beacons }
}

@Suite("Archives and advertisements of beacons") struct BeaconArchiveTests {
    private let uuid = UUID(uuidString: "0C0FFEE0-1234-4321-8888-0123456789AB") ?? UUID()

    private func copy<T: NSObject & NSSecureCoding>(_ object: T) throws -> T? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
    }

    @Test("keep a constraint") func constraints() throws {
        for constraint in [
            CLBeaconIdentityConstraint(uuid: uuid), CLBeaconIdentityConstraint(uuid: uuid, major: 7),
            CLBeaconIdentityConstraint(uuid: uuid, major: 0, minor: 65_535),
        ] {
            #expect(try copy(constraint) == constraint)
            #expect(constraint.copy() as? CLBeaconIdentityConstraint == constraint)
        }
        #expect(try copy(CLBeaconIdentityConstraint(uuid: uuid, major: 7)) != CLBeaconIdentityConstraint(uuid: uuid))
    }

    @Test("keep a beacon that was ranged, and a heading") @MainActor func beaconsAndHeadings() throws {
        let (device, app) = try open(.iPhone(.whenInUse)) { Ranging() }
        device.run {
            app.manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            app.manager.startUpdatingHeading()
        }
        device.detect(beacon: uuid, major: 7, minor: 65_535, proximity: .near, accuracy: 1.5)
        device.turn(to: 123)
        let beacon = try #require(app.beacons.first)
        let read = try #require(try copy(beacon))
        #expect(read.uuid == uuid && read.major == 7 && read.minor == 65_535 && read.proximity == .near)
        #expect(read.accuracy == 1.5 && read.rssi == beacon.rssi && read.timestamp == beacon.timestamp)
        #expect(beacon.copy() as? CLBeacon === beacon)
        let heading = try #require(app.manager.heading)
        let archived = try #require(try copy(heading))
        #expect(archived.trueHeading == 123 && archived.magneticHeading == heading.magneticHeading)
        #expect(archived.headingAccuracy == heading.headingAccuracy && archived.timestamp == heading.timestamp)
        #expect(archived.x == heading.x && archived.y == heading.y && archived.z == heading.z)
    }

    @Test("keep a placemark") func placemarks() throws {
        var details = CLPlacemark.Details()
        (details.name, details.thoroughfare, details.subThoroughfare) = ("Fernsehturm", "Panoramastraße", "1a")
        (details.locality, details.subLocality, details.administrativeArea) = ("Berlin", "Mitte", "Berlin")
        (details.subAdministrativeArea, details.postalCode, details.country) = ("Berlin", "10178", "Germany")
        (details.isoCountryCode, details.inlandWater, details.ocean) = ("DE", "Spree", "none")
        (details.areasOfInterest, details.timeZone) = (
            ["Alexanderplatz", "Neptun"], TimeZone(identifier: "Europe/Berlin")
        )
        let position = CLLocation(latitude: 52.5208, longitude: 13.4094)
        for known in [details, CLPlacemark.Details()] {
            let placemark = CLPlacemark(location: position, details: known)
            let read = try #require(try copy(placemark))
            #expect(read.description == placemark.description && read.isoCountryCode == placemark.isoCountryCode)
            #expect(read.timeZone == placemark.timeZone && read.areasOfInterest == placemark.areasOfInterest)
            #expect(read.location == placemark.location)
        }
    }

    @Test("of earlier locations there are none") @MainActor func historicalLocations() async throws {
        let (device, manager) = try open(.iPhone(.whenInUse)) { CLLocationManager() }
        nonisolated(unsafe) var answer: (any Error)?
        device.run {
            manager.requestHistoricalLocations(purposeKey: "Trips", sampleCount: 5) { answer = $1 }
        }
        #expect((answer as? CLError)?.code == .historicalLocationError)
        await #expect(throws: CLError(.historicalLocationError)) {
            try await manager.historicalLocations(purposeKey: "Trips", sampleCount: 5)
        }
    }

    @Test("give what a beacon advertises") func peripheralData() {
        func numbers(_ region: CLBeaconRegion, _ power: NSNumber?) -> [UInt8] {
            let data = region.peripheralData(withMeasuredPower: power)["kCBAdvDataAppleBeaconKey"] as? Data
            return Array(data ?? Data())
        }
        let region = CLBeaconRegion(
            beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: 0x0102, minor: 0x0304),
            identifier: "a")
        let bytes = numbers(region, -60)
        #expect(bytes.count == 21)
        #expect(bytes.prefix(2) == [0x0C, 0x0F])
        #expect(bytes.suffix(5) == [1, 2, 3, 4, 0xC4])
        // The default is that of an iPhone.
        #expect(numbers(region, nil).last == UInt8(bitPattern: -59))
    }
}
