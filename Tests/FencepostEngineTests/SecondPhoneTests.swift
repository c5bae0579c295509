import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Testing

/// What the engine says of the number of phones that send under one id.
@Suite("A second phone") struct SecondPhoneTests {
    private static let plane = LocalPlane(origin: Coordinate(latitude: 50, longitude: 10))
    private static let begin = Timestamp(milliseconds: 1_777_000_000_000)

    /// A phone that has so many metres to the east after some seconds, and sends in an interval with errors of some metres.
    private static func track(
        every interval: Double, from start: Double = 0, through end: Double, seed: UInt64,
        _ east: (Double) -> Double
    ) -> [Location] {
        var random = SplitMix64(seed: seed)
        var fixes: [Location] = []
        var time = start
        while time <= end {
            let error = Double.random(in: -12...12, using: &random)
            fixes.append(
                Location(
                    deviceID: DeviceID("family"), timestamp: begin.after(Int64(time * 1000)),
                    coordinate: plane.unproject(east: east(time) + error, north: -error), horizontalAccuracy: 12))
            time += interval * Double.random(in: 0.8...1.2, using: &random)
        }
        return fixes
    }

    private static func status(_ fixes: [Location]) throws -> DeviceStatus {
        var settings = MonitorSettings()
        settings.visits = VisitSettings()
        var engine = MonitorEngine(RegionIndex(RegionCatalog([])), settings: settings)
        for fix in fixes.sorted(by: ReorderBuffer.precedes) { _ = try engine.accept(fix) { _ in } }
        let index = engine.deviceIndex(of: DeviceID("family"))
        let status = engine.status(at: try #require(index))
        let hasOne = engine.hasSecondPhone(at: try #require(index))
        #expect(hasOne == (status.secondPhone != nil))
        return status
    }

    @Test(
        "is noticed where both rest, and where one travels",
        arguments: [10.0, 60, 300], [6000.0, 40_000, 400_000])
    func noticed(interval: Double, distance: Double) throws {
        for seed: UInt64 in 1...10 {
            let home = Self.track(every: interval, through: 7200, seed: seed) { _ in 0 }
            let away = Self.track(every: interval, from: interval / 2, through: 7200, seed: seed + 100) { _ in distance
            }
            let both = try Self.status(home + away)
            let other = try #require(both.secondPhone, "seed \(seed)")
            let last = try #require(both.lastLocation)
            // One is at home, and the other one there.
            #expect(abs(Geodesic.distance(other, last.coordinate) - distance) < 100 + distance / 1000)
            let rides = Self.track(every: interval, from: interval / 2, through: 7200, seed: seed) {
                distance + 10 * $0
            }
            #expect(try Self.status(home + rides).secondPhone != nil, "seed \(seed)")
        }
    }

    @Test("is not noticed where one phone rests, drives, rides or flies", arguments: [5.0, 60, 300, 900])
    func single(interval: Double) throws {
        for seed: UInt64 in 1...10 {
            for speed in [0.0, 15, 36, 85, 240] {
                let there = Self.track(every: interval, through: 10_800, seed: seed) { speed * $0 }
                #expect(try Self.status(there).secondPhone == nil, "\(speed) m/s")
                // There and back, again and again.
                let shuttle = Self.track(every: interval, through: 36_000, seed: seed) {
                    let phase = $0.truncatingRemainder(dividingBy: 7200)
                    return speed * min(phase, 7200 - phase)
                }
                #expect(try Self.status(shuttle).secondPhone == nil, "\(speed) m/s, and back")
            }
        }
    }

    @Test("is no lone outlier, nor are some that agree") func outliers() throws {
        for seed: UInt64 in 1...20 {
            var random = SplitMix64(seed: seed)
            var fixes = Self.track(every: 60, through: 36_000, seed: seed) { _ in 0 }
            for index in fixes.indices where Int.random(in: 0..<12, using: &random) == 0 {
                let east = Double.random(in: -9000...9000, using: &random)
                let north = Double.random(in: -9000...9000, using: &random)
                fixes[index].coordinate = Self.plane.unproject(east: east, north: north)
            }
            #expect(try Self.status(fixes).secondPhone == nil, "seed \(seed)")
        }
        // As those of jammed satellites, once.
        var jammed = Self.track(every: 60, through: 7200, seed: 1) { _ in 0 }
        for index in 20..<40 { jammed[index].coordinate = Self.plane.unproject(east: 297_000, north: 0) }
        #expect(try Self.status(jammed).secondPhone == nil)
    }

    @Test("is forgotten a day later") func forgotten() throws {
        let home = Self.track(every: 60, through: 7200, seed: 1) { _ in 0 }
        let away = Self.track(every: 60, from: 30, through: 7200, seed: 2) { _ in 8000 }
        let soon = Self.track(every: 600, from: 7800, through: 80_000, seed: 3) { _ in 0 }
        #expect(try Self.status(home + away + soon).secondPhone != nil)
        let late = Self.track(every: 600, from: 80_000, through: 95_000, seed: 3) { _ in 0 }
        #expect(try Self.status(home + away + soon + late).secondPhone == nil)
    }
}
