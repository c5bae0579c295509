import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("Location") struct LocationTests {
    /// A fix with the members that the bits select.
    private func location(with bits: Int) -> Location {
        var fix = Location(
            deviceID: DeviceID("jane/phone"), timestamp: Timestamp(seconds: 1_772_353_800),
            coordinate: Coordinate(latitude: 48.85833, longitude: 2.29513))
        if bits & 1 != 0 { fix.horizontalAccuracy = 12 }
        if bits & 2 != 0 { fix.altitude = -0.5 }
        if bits & 4 != 0 { fix.verticalAccuracy = 0 }
        if bits & 8 != 0 { fix.speed = 1.5 }
        if bits & 16 != 0 { fix.course = 359.9 }
        if bits & 32 != 0 { fix.batteryLevel = 1 }
        if bits & 64 != 0 { fix.floor = -1 }
        if bits & 128 != 0 { fix.source = "owntracks" }
        if bits & 256 != 0 { fix.trigger = "" }
        if bits & 512 != 0 { fix.isSimulated = bits & 1 == 0 }
        if bits & 1024 != 0 { fix.batteryState = .charging }
        return fix
    }

    @Test("has the members that were set and no others, in memory and as JSON", arguments: 0..<2048)
    func fields(bits: Int) throws {
        let fix = location(with: bits)
        #expect(fix.horizontalAccuracy == (bits & 1 != 0 ? 12 : nil))
        #expect(fix.altitude == (bits & 2 != 0 ? -0.5 : nil))
        #expect(fix.verticalAccuracy == (bits & 4 != 0 ? 0 : nil))
        #expect(fix.speed == (bits & 8 != 0 ? 1.5 : nil))
        #expect(fix.course == (bits & 16 != 0 ? 359.9 : nil))
        #expect(fix.batteryLevel == (bits & 32 != 0 ? 1 : nil))
        #expect(fix.floor == (bits & 64 != 0 ? -1 : nil))
        #expect(fix.source == (bits & 128 != 0 ? "owntracks" : nil))
        #expect(fix.trigger == (bits & 256 != 0 ? "" : nil))
        #expect(try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(fix)) == fix)
        // The order of setting members, and a member that is reset, do not matter.
        var same = location(with: 0)
        same.trigger = "x"
        same.speed = 3
        same.trigger = fix.trigger
        same.source = fix.source
        same.floor = fix.floor
        same.speed = fix.speed
        (same.course, same.batteryLevel, same.altitude) = (fix.course, fix.batteryLevel, fix.altitude)
        (same.verticalAccuracy, same.horizontalAccuracy) = (fix.verticalAccuracy, fix.horizontalAccuracy)
        (same.isSimulated, same.batteryState) = (fix.isSimulated, fix.batteryState)
        #expect(same == fix && same.hashValue == fix.hashValue)
        #expect((fix == location(with: bits ^ 0b100)) == false)
    }

    @Test("is stored under the names of its members")
    func stored() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(location(with: 0b1000_1001)), as: UTF8.self)
        #expect(
            text == #"{"coordinate":{"latitude":48.85833,"longitude":2.29513},"deviceID":"jane\/phone","#
                + #""horizontalAccuracy":12,"isSpeedUnknown":false,"source":"owntracks","speed":1.5,"#
                + #""timestamp":1772353800000}"#)
    }

    @Test("is read from states of versions that kept a speed of -1 apart", arguments: ["true", "false"])
    func storedBefore(said: String) throws {
        let stored =
            #"{"coordinate":{"latitude":48.85833,"longitude":2.29513},"deviceID":"jane/phone","#
            + #""isSpeedUnknown":\#(said),"timestamp":1772353800000}"#
        #expect(try JSONDecoder().decode(Location.self, from: Data(stored.utf8)) == location(with: 0))
    }

    @Test("keeps every number of its range, and takes 112 bytes")
    func numbers() {
        for number in [0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, -12_000, 1e8] {
            var fix = location(with: 0)
            fix.altitude = number
            #expect(fix.altitude?.bitPattern == number.bitPattern)
        }
        #expect(MemoryLayout<Location>.stride == 112)
    }
}

@Suite("Device ids") struct DeviceIDTests {
    @Test("differ by every byte and by their length")
    func fingerprints() {
        var names = ["", "a", "b", "aa", "ab", "ba", "a\0", "jane/phone", "jane/phonf", "Jane/phone", "jane/phone "]
        names += (0..<2000).map { "device/\($0)" } + (0..<40).map { String(repeating: "x", count: $0 + 2) }
        let devices = names.map { DeviceID($0) }
        #expect(Set(devices).count == names.count)
        #expect(Set(devices.map(\.fingerprint)).count == names.count)
        // Hash tables use the upper half and the low bits.
        #expect(Set(devices.map { UInt32(truncatingIfNeeded: $0.fingerprint >> 32) }).count > names.count - 3)
        #expect(Set(devices.map { $0.fingerprint & 0xFFF }).count > names.count / 2)
        for (name, device) in zip(names, devices) { #expect(DeviceID(name + "").fingerprint == device.fingerprint) }
    }
}
