import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostTesting
import Foundation
import Testing

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

        /// At 1.3 m/s, a fix each 20 s; the last is where the way ends.
        mutating func walk(meters: Double) {
            let steps = Int(abs(meters) / 26)
            for _ in 0..<steps {
                fix(speed: 1.3)
                seconds += 20
                east += meters / Double(steps)
            }
        }

        /// A fix each 30 s.
        mutating func stay(seconds span: Int64) {
            for _ in 0..<span / 30 {
                fix()
                seconds += 30
            }
        }
    }

    /// To a place 1000 m east, there from 760 s to 2560 s, and 800 m farther on.
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

    @Test("finds a stay between two walks, and says when it began and ended")
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

    @Test("tells an arrival when the shortest stay is over, by a deadline where no fix comes")
    func deadlineTellsArrival() throws {
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

    @Test("takes a hole between two fixes near each other for a stay")
    func holeIsVisit() throws {
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

    @Test("lets no lone leap of a cell tower end a stay")
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

    @Test("knows no arrival where the device was there from the first fix on")
    func unknownArrival() throws {
        var walk = Walk()
        walk.stay(seconds: 1800)
        walk.walk(meters: 800)
        let found = reports(walk.fixes)
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.estimate.arrival == nil })
        #expect(seconds(found.first?.estimate.arrivalLatest) == 0)
    }

    @Test("ends a stay at the fix before a hole longer than the longest")
    func maximumGap() throws {
        var walk = Walk()
        walk.stay(seconds: 1800)
        var joined = walk
        walk.seconds += 129_601 - 30
        walk.fix()
        let found = reports(walk.fixes)
        #expect(found.count == 2)
        #expect(seconds(found.last?.estimate.departure) == 1770)
        // A hole of just the longest length is part of the stay.
        joined.seconds += 129_600 - 30
        joined.fix()
        #expect(reports(joined.fixes).count == 1)
    }

    @Test("holds departures back when asked to, and drops them when the device comes back")
    func departureHold() {
        var walk = errand
        walk.walk(meters: -800)
        walk.stay(seconds: 1200)
        let eager = reports(walk.fixes)
        let patient = reports(walk.fixes, settings: VisitSettings(departureHold: .seconds(3600)))
        #expect(eager.count == 3)
        #expect(patient.count == 1)
    }

    @Test("keeps little of a device")
    func size() {
        // Beside it at most 60 fixes of 32 bytes and 21 intervals of 4.
        #expect(MemoryLayout<VisitDetector>.size <= 320)
    }

    @Test("tells no stay that is shorter than the shortest", arguments: [300, 480, 900, 1700, 2000] as [Int64])
    func minimumStay(seconds: Int64) {
        let found = reports(errand.fixes, settings: VisitSettings(minimumStay: .seconds(seconds)))
        #expect(found.isEmpty == (seconds > 1900))
    }
}

@Suite("Visit detector, whatever comes") struct VisitDetectorProperties {
    @Test("arrives and departs by turns, each visit once", arguments: 1...60 as ClosedRange<UInt64>)
    func alternates(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        var detector = VisitDetector(settings: VisitSettings())
        let fixes = device.fixes(1500)
        var open: VisitEstimate?
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
                case .departed:
                    #expect(open?.identity == estimate.identity)
                    #expect(open?.arrival == estimate.arrival)
                    #expect(estimate.departure.map { $0 >= estimate.arrival ?? $0 } == true)
                    open = nil
                }
            }
        }
        #expect(!seen.isEmpty)
    }

    @Test("goes on after a snapshot as if nothing had been", arguments: 1...20 as ClosedRange<UInt64>)
    func snapshots(seed: UInt64) throws {
        var device = WanderingDevice(seed: seed)
        var detector = VisitDetector(settings: VisitSettings())
        for fix in device.fixes(150) {
            let bytes = try JSONEncoder().encode(detector)
            var restored = try JSONDecoder().decode(VisitDetector.self, from: bytes)
            #expect(restored.handle(fix) == detector.handle(fix))
            #expect(restored == detector)
            // 60 fixes of some 40 bytes, and little else.
            #expect(bytes.count < 12_000)
        }
    }

    @Test("says the same whether deadlines are delivered or caught up on", arguments: 1...30 as ClosedRange<UInt64>)
    func deadlines(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        var (lazy, prompt) = (VisitDetector(settings: VisitSettings()), VisitDetector(settings: VisitSettings()))
        for fix in device.fixes(600) {
            var delivered: [VisitReport] = []
            while let deadline = prompt.deadline, deadline < fix.timestamp {
                delivered += prompt.deadlineReached(deadline)
                #expect(prompt.deadline.map { $0 > deadline } ?? true)
            }
            #expect(lazy.handle(fix) == delivered + prompt.handle(fix))
        }
    }
}
