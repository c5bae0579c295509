import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Visit detector") struct VisitDetectorTests {
    let settings = VisitSettings()

    fileprivate static let start: Int64 = 1_772_000_000

    /// Fixes along a street that runs east from a point in Seoul.
    private struct Walk {
        private let plane = LocalPlane(origin: Coordinate(latitude: 37.55, longitude: 126.99))
        var fixes: [Location] = []
        var seconds: Int64 = 0
        var east = 0.0

        mutating func fix(speed: Double? = nil) {
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: VisitDetectorTests.start + seconds),
                coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: 15)
            fix.speed = speed
            fixes.append(fix)
        }

        /// A walk at 1.3 m/s with a fix every 20 s.
        mutating func walk(meters: Double) {
            let steps = Int(abs(meters) / 26)
            for _ in 0..<steps {
                fix(speed: 1.3)
                seconds += 20
                east += meters / Double(steps)
            }
        }

        /// A fix every 30 s.
        mutating func stay(seconds span: Int64) {
            for _ in 0..<span / 30 {
                fix()
                seconds += 30
            }
        }
    }

    /// A walk of 1000 m to the east, a stay from 760 s to 2560 s, and a walk of 800 m.
    private var errand: Walk {
        var walk = Walk()
        walk.walk(meters: 1000)
        walk.stay(seconds: 1800)
        walk.walk(meters: 800)
        return walk
    }

    private func reports(_ fixes: [Location], settings: VisitSettings = VisitSettings()) -> [VisitReport] {
        var detector = VisitDetector(settings: settings)
        return fixes.flatMap { detector.handle($0) }
    }

    private func seconds(_ moment: Timestamp?) -> Int64? {
        moment.map { $0.milliseconds / 1000 - VisitDetectorTests.start }
    }

    @Test("detects a stay between two walks, with its start and end")
    func errandIsOneVisit() throws {
        let found = reports(errand.fixes)
        try #require(found.count == 2)
        guard case .arrived(let arrival) = found[0], case .departed(let departure) = found[1] else {
            Issue.record("not an arrival and a departure: \(found)")
            return
        }
        #expect(abs(try #require(seconds(arrival.arrival)) - 760) < 90)
        #expect(abs(try #require(seconds(departure.departure)) - 2560) < 90)
        #expect(arrival.identity == departure.identity)
        #expect(arrival.departure == nil)
        #expect(departure.arrival == arrival.arrival)
    }

    @Test("reports an arrival after the minimum stay, by a deadline if no fix comes")
    func deadlineReportsArrival() throws {
        let approach = errand.fixes.prefix(43)
        var detector = VisitDetector(settings: settings)
        for fix in approach { #expect(detector.handle(fix).isEmpty) }
        let deadline = try #require(detector.deadline)
        let found = detector.deadlineReached(deadline)
        #expect(found.count == 1)
        #expect(found.first?.estimate.detectedAt == deadline)
        let arrival = try #require(found.first?.estimate.arrival)
        #expect(deadline - arrival >= settings.minimumStay && deadline - arrival < .seconds(700))
    }

    @Test("detects a stay in a gap between two fixes near each other")
    func gapIsVisit() throws {
        var walk = Walk()
        walk.walk(meters: 520)
        walk.fix()
        walk.seconds += 7200
        walk.east += 100
        walk.walk(meters: 300)
        let found = reports(walk.fixes)
        #expect(found.count == 2)
        #expect(abs(try #require(seconds(found.last?.estimate.departure)) - 7520) < 120)
    }

    @Test("does not end a stay for a single leap to a cell tower")
    func towerIsNoDeparture() {
        var walk = Walk()
        walk.walk(meters: 1000)
        walk.stay(seconds: 900)
        walk.east += 2000
        walk.fix()
        walk.seconds += 30
        walk.east -= 2000
        walk.stay(seconds: 900)
        walk.walk(meters: 800)
        #expect(reports(walk.fixes).count == 2)
    }

    @Test(
        "goes on with a stay through fixes of a cell tower, unless they are two accuracies away",
        arguments: [(1400.0, 2), (2400, 2), (700, 4)])
    func towerForHours(accuracy: Double, count: Int) {
        var walk = Walk()
        walk.walk(meters: 1000)
        walk.stay(seconds: 1800)
        for _ in 0..<20 {
            walk.east += 2500
            walk.fix()
            walk.fixes[walk.fixes.count - 1].horizontalAccuracy = accuracy
            walk.east -= 2500
            walk.seconds += 300
        }
        walk.stay(seconds: 1800)
        walk.walk(meters: 800)
        #expect(reports(walk.fixes).count == count)
    }

    @Test("reports no arrival time for a device that was there at its first fix")
    func unknownArrival() throws {
        var walk = Walk()
        walk.stay(seconds: 1800)
        walk.walk(meters: 800)
        let found = reports(walk.fixes)
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.estimate.arrival == nil })
        #expect(seconds(found.first?.estimate.arrivalLatest) == 0)
    }

    @Test("ends a stay at the fix before a gap longer than the maximum")
    func maximumGap() throws {
        var walk = Walk()
        walk.stay(seconds: 1800)
        var joined = walk
        walk.seconds += 129_601 - 30
        walk.fix()
        let found = reports(walk.fixes)
        #expect(found.count == 2)
        #expect(seconds(found.last?.estimate.departure) == 1770)
        // A gap of exactly the maximum is part of the stay.
        joined.seconds += 129_600 - 30
        joined.fix()
        #expect(reports(joined.fixes).count == 1)
    }

    @Test("delays departures if configured, and reports none if the device returns")
    func departureHold() {
        var walk = errand
        walk.walk(meters: -800)
        walk.stay(seconds: 1200)
        let immediate = reports(walk.fixes)
        let delayed = reports(walk.fixes, settings: VisitSettings(departureHold: .seconds(3600)))
        #expect(immediate.count == 3)
        #expect(delayed.count == 1)
    }

    @Test("takes at most 320 bytes")
    func size() {
        // In addition to at most 39 fixes of 32 bytes and 2 × 21 intervals of 4 on the heap.
        #expect(MemoryLayout<VisitDetector>.size <= 320)
    }

    @Test("stays below 2260 bytes with its heap, whatever the device sends", arguments: 1...12 as ClosedRange<UInt64>)
    func memory(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        var detector = VisitDetector(settings: settings)
        for fix in device.fixes(3000) {
            _ = detector.handle(fix)
            #expect(MemoryLayout<VisitDetector>.size + detector.heapByteCount <= 2260)
        }
    }

    @Test("finds a stay with a fix every second, however long the minimum is", arguments: [180, 480, 1700, 7200])
    func frequentFixes(minimumStay: Int64) throws {
        var walk = Walk()
        walk.walk(meters: 1000)
        let arrival = walk.seconds
        for _ in 0..<minimumStay + 300 {
            walk.fix()
            walk.seconds += 1
        }
        let departure = walk.seconds
        walk.walk(meters: 1000)
        let found = reports(walk.fixes, settings: VisitSettings(minimumStay: .seconds(minimumStay)))
        #expect(found.count == 2)
        let estimate = try #require(found.last?.estimate)
        #expect(abs(try #require(seconds(estimate.arrival)) - arrival) <= 90)
        #expect(abs(try #require(seconds(estimate.departure)) - departure) <= 90)
    }

    @Test("begins no stay by silence after an inaccurate fix that is certainly elsewhere")
    func inaccurateFixElsewhere() {
        for (accuracy, isStay) in [(800.0, false), (3000, true)] {
            var walk = Walk()
            walk.walk(meters: 1000)
            walk.stay(seconds: 120)
            walk.east += 2000
            walk.fix()
            walk.fixes[walk.fixes.count - 1].horizontalAccuracy = accuracy
            var detector = VisitDetector(settings: settings)
            for fix in walk.fixes { #expect(detector.handle(fix).isEmpty) }
            #expect((detector.deadline != nil) == isStay)
        }
    }

    @Test("reports no stay shorter than the minimum", arguments: [300, 480, 900, 1700, 2000] as [Int64])
    func minimumStay(seconds: Int64) {
        let found = reports(errand.fixes, settings: VisitSettings(minimumStay: .seconds(seconds)))
        #expect(found.isEmpty == (seconds > 1900))
    }
}

@Suite("Visit detector on random tracks") struct VisitDetectorProperties {
    @Test(
        "reports arrivals and departures alternately, each visit once, and none shorter than the minimum",
        arguments: 1...60 as ClosedRange<UInt64>)
    func alternates(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        let settings = VisitSettings(minimumStay: .seconds([180, 480, 480, 1200][Int(seed % 4)]))
        var detector = VisitDetector(settings: settings)
        let fixes = device.fixes(1500)
        var open: VisitEstimate?
        var lastDeparture: Timestamp?
        var seen: Set<Timestamp> = []
        for fix in fixes {
            for report in detector.handle(fix) {
                let estimate = report.estimate
                #expect(estimate.detectedAt <= fix.timestamp)
                switch report {
                case .arrived:
                    #expect(open == nil)
                    #expect(seen.insert(estimate.identity).inserted)
                    open = estimate
                case .departed, .refuted:
                    #expect(open?.identity == estimate.identity)
                    #expect(open?.arrival == estimate.arrival)
                    let start = estimate.arrival ?? estimate.identity
                    #expect(estimate.departure.map { $0 - start >= settings.minimumStay } == true)
                    #expect(estimate.departure.map { $0 <= estimate.departureLatest ?? fix.timestamp } == true)
                    if let departure = lastDeparture { #expect(departure <= start) }
                    lastDeparture = estimate.departure
                    open = nil
                }
            }
        }
        #expect(!seen.isEmpty)
    }

    @Test("gives the same reports after a snapshot is restored", arguments: 1...20 as ClosedRange<UInt64>)
    func snapshots(seed: UInt64) throws {
        var device = WanderingDevice(seed: seed)
        var detector = VisitDetector(settings: VisitSettings())
        for fix in device.fixes(150) {
            let bytes = try JSONEncoder().encode(detector)
            var restored = try JSONDecoder().decode(VisitDetector.self, from: bytes)
            #expect(restored.handle(fix) == detector.handle(fix))
            #expect(restored == detector)
            // Mostly 40 fixes of about 150 bytes as JSON.
            #expect(bytes.count < 12_000)
        }
    }

    @Test(
        "gives the same reports whether deadlines are delivered or handled with the next fix, but for stays that this refutes",
        arguments: 1...30 as ClosedRange<UInt64>)
    func deadlines(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        var (lazy, prompt) = (VisitDetector(settings: VisitSettings()), VisitDetector(settings: VisitSettings()))
        var (together, delivered): ([VisitReport], [VisitReport]) = ([], [])
        for fix in device.fixes(600) {
            while let deadline = prompt.deadline, deadline < fix.timestamp {
                delivered += prompt.deadlineReached(deadline)
                #expect(prompt.deadline.map { $0 > deadline } ?? true)
            }
            delivered += prompt.handle(fix)
            together += lazy.handle(fix)
        }
        #expect(Self.withoutRefuted(together) == Self.withoutRefuted(delivered))
        #expect(together.count <= delivered.count)
    }

    private static func withoutRefuted(_ reports: [VisitReport]) -> [VisitReport] {
        let refuted = Set(
            reports.compactMap { report in if case .refuted(let stay) = report { stay.identity } else { nil } })
        return reports.filter { !refuted.contains($0.estimate.identity) }
    }
}
