import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Visit trail") struct VisitTrailTests {
    private static let criteria = VisitTrail.StayCriteria(radius: 80, worstAccuracy: 200)

    private func fixes(_ seed: UInt64, _ count: Int) -> [VisitFix] {
        var device = WanderingDevice(seed: seed)
        return device.fixes(count).map { VisitFix($0) }
    }

    @Test("keeps the fixes that a list would", arguments: 1...20 as ClosedRange<UInt64>)
    func ring(seed: UInt64) throws {
        var trail = VisitTrail()
        var list: [VisitFix] = []
        let interval = seed.isMultiple(of: 2) ? 10.0 : 400
        for (number, fix) in fixes(seed, 700).enumerated() {
            if list.count >= 2, fix.seconds(since: list[list.count - 2]) < interval { list.removeLast() }
            list.append(fix)
            if list.count > 40 { list.removeFirst() }
            if list.count > 2, fix.seconds(since: list[0]) > max(7200, 20 * interval) { list.removeFirst() }
            trail.append(fix, every: Int64(1000 * interval))
            switch number % 200 {
            case 150:
                trail.removeLast()
                list.removeLast()
            case 170:
                trail = try JSONDecoder().decode(VisitTrail.self, from: JSONEncoder().encode(trail))
            case 199:
                trail.clear()
                list = []
            default: break
            }
            #expect(trail.fixes == list)
            #expect(trail.first == list.first && trail.last == list.last && trail.count == list.count)
            #expect(trail.lastButOne == list.dropLast().last)
            let span = list.count < 2 ? 0 : list[list.count - 1].seconds(since: list[list.count - 2])
            #expect(trail.lastInterval == span)
        }
    }

    @Test("covers the span that it is asked for, however often the device sends", arguments: [1, 3, 7, 20, 50])
    func coverage(seconds: Int64) throws {
        var trail = VisitTrail()
        let interval = VisitTrail.interval(covering: 600_000)
        for number in 0..<1000 {
            trail.append(Self.fix(seconds: seconds * Int64(number), east: 0), every: interval)
            let span = min(600, Double(seconds) * Double(number))
            #expect(trail.span >= span)
            #expect(trail.count <= 40)
        }
        // Any three fixes in a row are as far apart in time as they have to be, and not much farther.
        for index in 2..<trail.count - 1 {
            let gap = trail[index].seconds(since: trail[index - 1])
            #expect(gap <= max(30, Double(seconds)))
        }
    }

    @Test("reads the longer trails of earlier versions")
    func earlierTrail() throws {
        struct Stored: Encodable {
            var fixes: [VisitFix]
            var isWhole = true
        }
        func restored(_ count: Int64) throws -> VisitTrail {
            let fixes = (0..<count).map { Self.fix(seconds: 10 * $0, east: 0) }
            return try JSONDecoder().decode(VisitTrail.self, from: JSONEncoder().encode(Stored(fixes: fixes)))
        }
        var trail = try restored(60)
        #expect(trail.count == 40)
        #expect(trail.first == Self.fix(seconds: 0, east: 0) && trail.last == Self.fix(seconds: 590, east: 0))
        trail.append(Self.fix(seconds: 600, east: 0), every: 10_000)
        #expect(trail.count == 40 && trail[0] == Self.fix(seconds: 20, east: 0))
        #expect(throws: DecodingError.self) { try restored(61) }
    }

    private static func fix(seconds: Int64, east: Double) -> VisitFix {
        let plane = LocalPlane(origin: Coordinate(latitude: 37.55, longitude: 126.99))
        return VisitFix(
            Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + seconds),
                coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 10))
    }

    @Test("rules out no cluster by cached far fixes", arguments: 1...40 as ClosedRange<UInt64>)
    func memory(seed: UInt64) {
        var trail = VisitTrail()
        var (clusters, ruledOut) = (0, 0)
        for fix in fixes(seed, 900) {
            trail.append(fix, every: 10_000)
            let found = trail.cluster(Self.criteria, spanning: 120) != nil
            if !trail.mayEndInStay(Self.criteria, spanning: 120) {
                #expect(!found)
                ruledOut += 1
            }
            if found { clusters += 1 }
        }
        #expect(clusters > 0 && ruledOut > 0)
    }

    /// A fix every 10 s at the given metres east.
    private func trail(_ easts: [Double], lastSpeed: Double? = nil, longitude: Double = 126.99) -> VisitTrail {
        let plane = LocalPlane(origin: Coordinate(latitude: 37.55, longitude: longitude))
        var trail = VisitTrail()
        for (number, east) in easts.enumerated() {
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + 10 * Int64(number)),
                coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 10)
            if number == easts.count - 1 { fix.speed = lastSpeed }
            trail.append(VisitFix(fix), every: 10_000)
        }
        return trail
    }

    @Test(
        "finds a stay in a drift within a place, and none in a drift from place to place",
        arguments: [126.99, 179.9999] as [Double])
    func drift(longitude: Double) {
        let (slow, fast) = ((0..<40).map { 2.0 * Double($0) }, (0..<40).map { 3.0 * Double($0) })
        #expect(trail(slow, longitude: longitude).cluster(Self.criteria, spanning: 360) != nil)
        #expect(trail(fast, longitude: longitude).cluster(Self.criteria, spanning: 360) == nil)
    }

    @Test(
        "finds no stay if the centre drifts from the newest fix to others far from it", arguments: [126.99, 179.9999])
    func wandering(longitude: Double) {
        // Each fix lies near the centre of those after it. The newest one moves, so its weight is small.
        let path: [Double] = [235, 225, 210, 195, 175, 150, 120, 60, 0]
        for (far, isStay) in [(240.0, false), (215, true)] {
            let easts = [Double](repeating: far, count: 20) + path.filter { $0 < far }
            #expect(
                (trail(easts, lastSpeed: 1, longitude: longitude).cluster(Self.criteria, spanning: 200) != nil)
                    == isStay)
        }
    }

    @Test("ignores two outliers, wherever they lie")
    func outliers() {
        var easts = [Double](repeating: 0, count: 40)
        easts[20] = 5000
        easts[21] = 5000
        #expect(trail(easts).cluster(Self.criteria, spanning: 360) != nil)
        easts[22] = 5000
        #expect(trail(easts).cluster(Self.criteria, spanning: 360) == nil)
    }

    @Test("finds a stay again soon after fixes elsewhere")
    func shortAbsence() {
        let fixes = trail([Double](repeating: 0, count: 20) + [400, 400] + [Double](repeating: 40, count: 12)).fixes
        var trail = VisitTrail()
        var found = 0
        for fix in fixes {
            trail.append(fix, every: 10_000)
            guard trail.cluster(Self.criteria, spanning: 120) != nil else { continue }
            let mayEndInStay = trail.mayEndInStay(Self.criteria, spanning: 120)
            #expect(mayEndInStay)
            found += 1
        }
        // All but the first twelve and the two elsewhere.
        #expect(found == fixes.count - 14)
    }

    @Test("has a due moment at or before the exact deadline", arguments: 1...30 as ClosedRange<UInt64>)
    func due(seed: UInt64) throws {
        var device = WanderingDevice(seed: seed)
        var detector = VisitDetector(settings: VisitSettings(departureHold: .seconds(seed.isMultiple(of: 2) ? 0 : 90)))
        for fix in device.fixes(600) {
            _ = detector.handle(fix)
            let deadline = detector.deadline ?? .distantFuture
            #expect(detector.due <= deadline)
            guard detector.due < deadline, detector.due > fix.timestamp else { continue }
            // Before the deadline nothing is reported, and the exact deadline is known afterwards.
            var early = detector
            #expect(early.deadlineReached(detector.due).isEmpty)
            #expect(early.due == deadline && early.deadline == detector.deadline)
        }
    }

    @Test("computes the median of the last 21 intervals", arguments: 1...10 as ClosedRange<UInt64>)
    func sampling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var sampling = SamplingStatistics()
        var intervals: [Float] = []
        for number in 0..<300 {
            // A timer for a while, then random intervals.
            let seconds = number % 100 < 60 ? 5 : Double.random(in: 1...600, using: &random)
            intervals.append(Float(seconds))
            sampling.add(interval: seconds, accuracy: 10)
            let sorted = intervals.suffix(21).sorted()
            #expect(sampling.interval == Double(sorted[sorted.count / 2]))
            let isRegular = sorted.count >= 4 && Double(sorted[sorted.count * 3 / 4]) <= 1.6 * sampling.interval
            #expect(sampling.isRegular == isRegular)
            if number % 37 == 0 {
                sampling = try JSONDecoder().decode(SamplingStatistics.self, from: JSONEncoder().encode(sampling))
            }
        }
    }
}
