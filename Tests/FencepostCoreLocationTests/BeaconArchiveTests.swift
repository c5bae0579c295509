import FencepostCoreLocation
import FencepostSimulator
import Foundation
import Testing

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
