import FencepostGeometry
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import Testing

@testable import FencepostStore

@Suite("Fix codec") struct FixCodecTests {
    @Test("restores every fix exactly", arguments: 1...60 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var made = MadeUp(seed: seed)
        let devices = (0..<5).map { "device/\($0) é" }
        var received = MadeUp.start
        let fixes = (0..<200).map { _ in
            if made.chance(0.2) { received = received + .milliseconds(Int64.random(in: -5...900, using: &made.random)) }
            return ArchivedFix(stored: made.location(devices), receivedAt: received)
        }
        var encoder = FixEncoder(receivedAt: MadeUp.start, capacity: 200)
        for fix in fixes { encoder.append(fix.stored, receivedAt: fix.receivedAt) }
        let names = try DeviceList.decode([UInt8](DeviceList.encode(encoder.devices)))
        let decoded = try FixDecoder.all(encoder.bytes, devices: names)
        #expect(decoded == fixes)
        for (a, b) in zip(decoded, fixes) {
            // Equality takes -0 for 0.
            #expect(a.location.coordinate.latitude.bitPattern == b.location.coordinate.latitude.bitPattern)
            #expect(a.location.altitude?.bitPattern == b.location.altitude?.bitPattern)
        }
    }

    @Test(
        "drops numbers beyond their ranges that an earlier version stored",
        arguments: [-0x1p63, 1e19, 1e155, 1e300, -.greatestFiniteMagnitude])
    func earlier(number: Double) throws {
        let marker = 1234.567_890_123_4
        var fix = Location(
            deviceID: DeviceID("a"), timestamp: MadeUp.start, coordinate: Coordinate(latitude: 1, longitude: 2),
            horizontalAccuracy: marker)
        fix.altitude = marker
        fix.speed = marker
        var encoder = FixEncoder(receivedAt: MadeUp.start, capacity: 1)
        encoder.append(StoredLocation(fix), receivedAt: MadeUp.start)
        // The row as the earlier version wrote it: the same with other numbers.
        func bytes(_ number: Double) -> [UInt8] { withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) } }
        var row = encoder.bytes
        var replaced = 0
        while let range = row.firstRange(of: bytes(marker)) {
            row.replaceSubrange(range, with: bytes(number))
            replaced += 1
        }
        #expect(replaced == 3)
        let read = try #require(try FixDecoder.all(row, devices: encoder.devices).first).location
        #expect(read.horizontalAccuracy == nil && read.altitude == nil && read.speed == nil)
        #expect(read.coordinate == fix.coordinate && read.timestamp == fix.timestamp)
    }

    @Test("holds the extremes of every field")
    func extremes() throws {
        var fixes: [StoredLocation] = []
        for number in [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0x1p52, 4503599627370.497, 1e-3] {
            for time in [Timestamp.distantPast, .distantFuture, Timestamp(milliseconds: 0)] {
                var fix = Location(
                    deviceID: DeviceID("a"), timestamp: time,
                    coordinate: Coordinate(latitude: number, longitude: -number), horizontalAccuracy: number)
                fix.floor = number > 1 ? .max : .min
                fixes.append(StoredLocation(fix))
            }
        }
        var encoder = FixEncoder(receivedAt: .distantPast, capacity: 8)
        for fix in fixes { encoder.append(fix, receivedAt: .distantFuture) }
        #expect(try FixDecoder.all(encoder.bytes, devices: encoder.devices).map(\.stored) == fixes)
    }

    @Test("never holds a number that is none")
    func notANumber() throws {
        var fix = StoredLocation.at("a", 0)
        fix.location.speed = .nan
        fix.location.altitude = .infinity
        var encoder = FixEncoder(receivedAt: MadeUp.start, capacity: 1)
        encoder.append(fix, receivedAt: MadeUp.start)
        let decoded = try FixDecoder.all(encoder.bytes, devices: encoder.devices)
        #expect(decoded.map(\.location.speed) == [nil])
        #expect(decoded.map(\.location.altitude) == [nil])
    }

    @Test("refuses bytes that it did not write, without a crash", arguments: 1...300 as ClosedRange<UInt64>)
    func damage(seed: UInt64) throws {
        var made = MadeUp(seed: seed)
        var encoder = FixEncoder(receivedAt: MadeUp.start, capacity: 8)
        for _ in 0..<8 { encoder.append(made.location(["a", "b"]), receivedAt: MadeUp.start) }
        var bytes = encoder.bytes
        for _ in 0..<3 {
            bytes[Int.random(in: 0..<bytes.count, using: &made.random)] = UInt8.random(in: 0...255, using: &made.random)
        }
        if made.chance() { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &made.random)) }
        // Decoding random bytes never gives a number that is not finite.
        for fix in (try? FixDecoder.all(bytes, devices: encoder.devices)) ?? [] {
            #expect(fix.location.coordinate.latitude.isFinite && fix.location.speed?.isFinite != false)
        }
    }

    @Test("takes less than 16 bytes for a usual fix of a usual phone")
    func size() {
        var encoder = FixEncoder(receivedAt: MadeUp.start, capacity: 1000)
        for second in 0..<1000 {
            var fix = StoredLocation.at(
                "a", Int64(second), latitude: Double(4_885_833 + second) / 1e5, longitude: 2.29513)
            fix.location.horizontalAccuracy = 12
            fix.location.speed = 1.5
            fix.location.batteryLevel = 0.87
            fix.location.source = "owntracks"
            encoder.append(fix, receivedAt: MadeUp.start)
        }
        #expect(encoder.bytes.count < 16_000)
    }
}
