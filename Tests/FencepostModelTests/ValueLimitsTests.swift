import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@Suite("Limits of values") struct ValueLimitsTests {
    @Test(
        "hold for every location, wherever its numbers come from",
        arguments: [-0x1p63, 0x1p63, 1e19, 1e155, 1e300, .nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func location(number: Double) throws {
        var fix = Location(
            deviceID: DeviceID("a"), timestamp: Timestamp(seconds: 0),
            coordinate: Coordinate(latitude: 1, longitude: 2),
            horizontalAccuracy: number)
        fix.altitude = number
        fix.verticalAccuracy = number
        fix.speed = number
        fix.course = number
        fix.batteryLevel = number
        fix.floor = number > 0 ? .max : .min
        let plain = Location(
            deviceID: DeviceID("a"), timestamp: Timestamp(seconds: 0),
            coordinate: Coordinate(latitude: 1, longitude: 2))
        #expect(fix == plain)
        #expect(fix.hasNoExtras)
    }

    @Test("keep the ends") func ends() {
        var fix = Location(
            deviceID: DeviceID("a"), timestamp: Timestamp(seconds: 0),
            coordinate: Coordinate(latitude: 1, longitude: 2),
            horizontalAccuracy: 20_000_000)
        fix.altitude = -12_000
        fix.speed = 100_000
        fix.floor = -1000
        #expect(fix.horizontalAccuracy == 20_000_000 && fix.altitude == -12_000)
        #expect(fix.speed == 100_000 && fix.floor == -1000)
    }

    @Test("are applied to a location that an earlier version stored") func stored() throws {
        let json = #"""
            {"deviceID":"a","timestamp":-9223372036854775808,"coordinate":{"latitude":1,"longitude":2},
            "horizontalAccuracy":1e155,"altitude":-9223372036854775808,"speed":-1,"course":1e300,"floor":9223372036854775807}
            """#
        let fix = try JSONDecoder().decode(Location.self, from: Data(json.utf8))
        #expect(fix.timestamp == .distantPast)
        #expect(fix.horizontalAccuracy == nil && fix.altitude == nil && fix.speed == nil)
        #expect(fix.course == nil && fix.floor == nil)
    }

    @Test("count what is dropped, by name in a fixed order") func counts() {
        var dropped = DroppedMembers()
        #expect(dropped.isEmpty)
        dropped.count(.altitude)
        dropped.count(.horizontalAccuracy)
        var sum = dropped
        sum.add(dropped)
        #expect(sum.named.map(\.name) == ["horizontalAccuracy", "altitude"])
        #expect(sum.named.map(\.count) == [2, 2])
    }
}

@Suite("Times at their ends") struct TimeEndTests {
    private static let ends: [Int64] = [
        .min, .min + 1, .min / 4, -8_640_000_000_000_000, 0, 8_640_000_000_000_000, .max,
    ]

    @Test("have a sum and a difference with every other", arguments: ends, ends) func arithmetic(a: Int64, b: Int64) {
        let (first, second) = (Timestamp(milliseconds: a), Timestamp(milliseconds: b))
        #expect((Timestamp.distantPast...Timestamp.distantFuture).contains(first))
        #expect((first - second).milliseconds == first.milliseconds - second.milliseconds)
        #expect(first + .milliseconds(b) >= .distantPast && first - .milliseconds(b) <= .distantFuture)
        #expect(first + .seconds(b) >= .distantPast && first - .seconds(b) <= .distantFuture)
        #expect(first.after(b) >= .distantPast)
        #expect(Timestamp(seconds: a) <= .distantFuture)
        #expect(first.rfc3339.utf8.count >= 20)
    }

    @Test("saturate") func saturates() {
        #expect(Timestamp(seconds: .max) == .distantFuture && Timestamp(seconds: .min) == .distantPast)
        #expect(Timestamp.distantFuture + .seconds(1) == .distantFuture)
        #expect(Timestamp.distantPast - .seconds(1) == .distantPast)
        #expect(Timestamp(milliseconds: 5) + .milliseconds(-7) == Timestamp(milliseconds: -2))
    }
}
