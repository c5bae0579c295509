import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Visit trail") struct VisitTrailTests {
    private static let place = VisitTrail.Place(reach: 80, coarse: 200)

    private func traces(_ seed: UInt64, _ count: Int) -> [VisitTrace] {
        var device = WanderingDevice(seed: seed)
        return device.fixes(count).map { VisitTrace($0) }
    }

    @Test("keeps the fixes that a list would", arguments: 1...20 as ClosedRange<UInt64>)
    func ring(seed: UInt64) throws {
        var trail = VisitTrail()
        var list: [VisitTrace] = []
        for (number, fix) in traces(seed, 700).enumerated() {
            if list.count >= 2, fix.seconds(since: list[list.count - 2]) < 10 { list.removeLast() }
            list.append(fix)
            if list.count > 2, list.count > 60 || fix.seconds(since: list[0]) > 7200 { list.removeFirst() }
            trail.append(fix)
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
            #expect(trail.lastSpan == span)
        }
    }

    @Test("finds the same runs with what it remembers as without", arguments: 1...40 as ClosedRange<UInt64>)
    func memory(seed: UInt64) {
        var trail = VisitTrail()
        var runs = 0
        for fix in traces(seed, 900) {
            trail.append(fix)
            let afresh = trail.run(Self.place, spanning: 120)
            let remembering = trail.nextRun(Self.place, spanning: 120)
            #expect(afresh?.anchor == remembering?.anchor)
            #expect(afresh?.first == remembering?.first && afresh?.last == remembering?.last)
            #expect(afresh?.before == remembering?.before && afresh?.isWhole == remembering?.isWhole)
            if afresh != nil { runs += 1 }
        }
        #expect(runs > 0)
    }

    /// Fixes each 10 s, so many metres on.
    private func trail(_ easts: [Double], lastSpeed: Double? = nil, longitude: Double = 126.99) -> VisitTrail {
        let plane = LocalPlane(origin: Coordinate(latitude: 37.55, longitude: longitude))
        var trail = VisitTrail()
        for (number, east) in easts.enumerated() {
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + 10 * Int64(number)),
                coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 10)
            if number == easts.count - 1 { fix.speed = lastSpeed }
            trail.append(VisitTrace(fix))
        }
        return trail
    }

    @Test(
        "takes a drift from place to place for no stay, and one within a place for one",
        arguments: [126.99, 179.9999] as [Double])
    func drift(longitude: Double) {
        let (slow, fast) = ((0..<40).map { 3.0 * Double($0) }, (0..<40).map { 7.5 * Double($0) })
        #expect(trail(slow, longitude: longitude).run(Self.place, spanning: 360) != nil)
        #expect(trail(fast, longitude: longitude).run(Self.place, spanning: 360) == nil)
    }

    @Test(
        "sees through a middle that wanders from the newest fix to others far from it", arguments: [126.99, 179.9999])
    func wandering(longitude: Double) {
        // Each lies near the middle of those after it: the newest, which moves, hardly counts.
        let way: [Double] = [235, 225, 210, 195, 175, 150, 120, 60, 0]
        for (far, isStay) in [(240.0, false), (215, true)] {
            let easts = [Double](repeating: far, count: 20) + way.filter { $0 < far }
            #expect((trail(easts, lastSpeed: 1, longitude: longitude).run(Self.place, spanning: 200) != nil) == isStay)
        }
    }

    @Test("passes over two wild fixes, wherever they lie")
    func wild() {
        var easts = [Double](repeating: 0, count: 40)
        easts[20] = 5000
        easts[21] = 5000
        #expect(trail(easts).run(Self.place, spanning: 360) != nil)
        easts[22] = 5000
        #expect(trail(easts).run(Self.place, spanning: 360) == nil)
    }

    @Test("does not hold it against a place that the device seemed to be elsewhere for a moment")
    func moment() {
        let fixes = trail([Double](repeating: 0, count: 20) + [400, 400] + [Double](repeating: 80, count: 12)).fixes
        var trail = VisitTrail()
        var found = 0
        for fix in fixes {
            trail.append(fix)
            let run = trail.nextRun(Self.place, spanning: 120)
            #expect(run?.first == trail.run(Self.place, spanning: 120)?.first)
            if run != nil { found += 1 }
        }
        // All but the first twelve, and the two that were elsewhere.
        #expect(found == fixes.count - 14)
    }

    @Test("is never asked too late for a deadline", arguments: 1...30 as ClosedRange<UInt64>)
    func due(seed: UInt64) throws {
        var device = WanderingDevice(seed: seed)
        var detector = VisitDetector(settings: VisitSettings(departureHold: .seconds(seed.isMultiple(of: 2) ? 0 : 90)))
        for fix in device.fixes(600) {
            _ = detector.handle(fix)
            let deadline = detector.deadline ?? .distantFuture
            #expect(detector.due <= deadline)
            guard detector.due < deadline, detector.due > fix.timestamp else { continue }
            // Too early it tells nothing, and then knows the moment.
            var early = detector
            #expect(early.deadlineReached(detector.due).isEmpty)
            #expect(early.due == deadline && early.deadline == detector.deadline)
        }
    }

    @Test("knows the middle of the last 21 intervals", arguments: 1...10 as ClosedRange<UInt64>)
    func rhythm(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rhythm = VisitRhythm()
        var intervals: [Float] = []
        for number in 0..<300 {
            // By a clock for a while, then by chance.
            let seconds = number % 100 < 60 ? 5 : Double.random(in: 1...600, using: &random)
            intervals.append(Float(seconds))
            rhythm.note(interval: seconds, accuracy: 10)
            let sorted = intervals.suffix(21).sorted()
            #expect(rhythm.interval == Double(sorted[sorted.count / 2]))
            let isRegular = sorted.count >= 4 && Double(sorted[sorted.count * 3 / 4]) <= 1.6 * rhythm.interval
            #expect(rhythm.isRegular == isRegular)
            if number % 37 == 0 {
                rhythm = try JSONDecoder().decode(VisitRhythm.self, from: JSONEncoder().encode(rhythm))
            }
        }
    }
}
