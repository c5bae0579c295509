import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostMonitor

/// What a device states as its speed changes little: the positions decide.
@Suite("Visits and stated speeds") struct VisitSpeedTests {
    enum SpeedField: CaseIterable {
        case absent, zero, exact, tripled, stuck, random
    }

    /// A day of four stays of 30 minutes, with rides of 4 km at 8 m/s between them, in seconds and metres.
    private struct Day {
        static let stay = 1800.0
        static let ride = 500.0
        static let speed = 8.0
        static var length: Double { 5 * ride + 4 * stay }

        static func position(at second: Double) -> (east: Double, speed: Double) {
            let turn = (second / (stay + ride)).rounded(.down)
            let ridden = min(second - turn * (stay + ride), ride)
            return ((turn * ride + ridden) * speed, ridden < ride ? speed : 0)
        }

        static func fixes(_ field: SpeedField, interval: Double, accuracy: Double, seed: UInt64) -> [Location] {
            var random = SeededGenerator(seed: seed)
            let plane = LocalPlane(origin: Coordinate(latitude: 47.2, longitude: 8.5))
            func error() -> Double { Double.random(in: -1...1, using: &random) * accuracy }
            return stride(from: 0, to: length, by: interval).map { second in
                let (east, speed) = position(at: second)
                var fix = Location(
                    deviceID: DeviceID("d"), timestamp: Timestamp(milliseconds: Int64(1000 * second)),
                    coordinate: plane.unproject(east: east + error(), north: error()), horizontalAccuracy: accuracy)
                switch field {
                case .absent: break
                case .zero: fix.speed = 0
                case .exact: fix.speed = speed
                case .tripled: fix.speed = 3 * speed
                case .stuck: fix.speed = Day.speed
                case .random: fix.speed = .random(in: 0...12, using: &random)
                }
                return fix
            }
        }
    }

    @Test("finds every visit of a day", arguments: SpeedField.allCases, [5, 30, 120, 300])
    func day(field: SpeedField, interval: Double) throws {
        for (seed, accuracy) in [(1, 8.0), (2, 25), (3, 40)] as [(UInt64, Double)] {
            var detector = VisitDetector(settings: VisitSettings())
            let fixes = Day.fixes(field, interval: interval, accuracy: accuracy, seed: seed)
            let visits = fixes.flatMap { detector.handle($0) }.compactMap { report in
                if case .departed(let visit) = report { visit } else { nil }
            }
            #expect(visits.count == 4)
            for (number, visit) in visits.enumerated() {
                let start = Double(number) * (Day.ride + Day.stay) + Day.ride
                let arrival = Double(try #require(visit.arrival).milliseconds) / 1000
                let departure = Double(try #require(visit.departure).milliseconds) / 1000
                #expect(abs(arrival - start) <= interval + 60)
                #expect(abs(departure - start - Day.stay) <= interval + 60)
            }
        }
    }

    @Test("trusts speeds until positions contradict them, and again after they agree for long")
    func agreement() {
        var speeds = SpeedAgreement()
        func step(_ meters: Double, speed: Double) {
            let plane = LocalPlane(origin: Coordinate(latitude: 47.2, longitude: 8.5))
            func fix(_ second: Int64, _ east: Double) -> VisitFix {
                var fix = Location(
                    deviceID: DeviceID("d"), timestamp: Timestamp(seconds: second),
                    coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 10)
                fix.speed = speed
                return VisitFix(fix)
            }
            speeds.add(from: fix(0, 0), to: fix(60, meters))
        }
        #expect(speeds.areTrusted)
        for _ in 0..<20 { step(480, speed: 8) }
        // At rest, and a speed that leads no farther than the errors.
        for _ in 0..<100 { step(0, speed: 0) }
        for _ in 0..<100 { step(0, speed: 0.9) }
        #expect(speeds.areTrusted)
        for _ in 0..<6 { step(0, speed: 8) }
        #expect(!speeds.areTrusted)
        for _ in 0..<200 { step(480, speed: 8) }
        #expect(speeds.areTrusted)
    }
}
