import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Trust in fixes") struct FixTrustTests {
    @Test(
        "gives the same evidence with the last fix of a monitor as with its own",
        arguments: 1...20 as ClosedRange<UInt64>)
    func alike(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        var evaluator = TrustEvaluator()
        var (trust, last) = (FixTrust(), LastFix())
        for fix in device.fixes(500) {
            var assessment = trust.evaluate(fix, after: last.summary)
            last.set(fix)
            let evidence = assessment.evidence
            #expect(evidence == evaluator.evaluate(fix).evidence)
            #expect(TrustEvaluator(trust, last: last.summary).flagCounts == evaluator.flagCounts)
        }
        #expect(evaluator.flagCounts.leap > 0)
    }

    @Test("takes no stay that a file states, with one position at both ends, for a repeated one")
    func statedStay() {
        func flags(trigger: String?) -> [FixEvidence.Flag?] {
            var evaluator = TrustEvaluator()
            return [0, 21_600].map { (seconds: Int64) in
                var fix = Location(
                    deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + seconds),
                    coordinate: Coordinate(latitude: 48.2, longitude: 16.37), horizontalAccuracy: 50)
                fix.trigger = trigger
                return evaluator.evaluate(fix).evidence.flag
            }
        }
        #expect(flags(trigger: Location.statedStay) == [nil, nil])
        #expect(flags(trigger: nil) == [nil, .repeated])
    }

    /// Else a device would never leave a place after whose end its fixes have no speed.
    @Test(
        "believes fixes without a speed that agree with each other for long, wherever they are",
        arguments: [(5.0, 0.3), (5.0, 5.0), (30.0, 1.2), (60.0, 0.5), (60.0, 15.0), (100.0, 15.0)],
        [1000.0, 3000, 30_000])
    func speedsEnd(device: (accuracy: Double, speed: Double), distance: Double) {
        var random = SeededGenerator(seed: 7)
        var evaluator = TrustEvaluator()
        let plane = LocalPlane(origin: Coordinate(latitude: 48.2, longitude: 16.37))
        var isTrusted = true
        for minute in 0..<75 {
            let isAway = minute >= 15
            func error() -> Double { .random(in: -device.accuracy...device.accuracy, using: &random) }
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + 60 * Int64(minute)),
                coordinate: plane.unproject(east: error(), north: error() + (isAway ? distance : 0)),
                horizontalAccuracy: device.accuracy)
            fix.speed = isAway ? nil : device.speed
            isTrusted = evaluator.evaluate(fix).evidence.outlierProbability < 0.1
        }
        #expect(isTrusted)
    }

    @Test(
        "keeps to believe fixes without a speed of a device at rest", arguments: [20.0, 65, 100, 140],
        [5, 15, 30, 60] as [Int64])
    func rest(accuracy: Double, interval: Int64) {
        var random = SeededGenerator(seed: 8)
        var evaluator = TrustEvaluator()
        let plane = LocalPlane(origin: Coordinate(latitude: 48.2, longitude: 16.37))
        for number in 0..<400 {
            func error() -> Double { .random(in: -accuracy...accuracy, using: &random) / 2 }
            var fix = Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + interval * Int64(number)),
                coordinate: plane.unproject(east: error(), north: error()), horizontalAccuracy: accuracy)
            fix.speed = number < 20 ? 0.3 : nil
            #expect(evaluator.evaluate(fix).evidence.outlierProbability <= 0.1, "\(number)")
        }
    }

    /// A device that was certainly outside stays untracked, so its evidence need not be computed.
    @Test("leaves a region untracked that a fix is not in", arguments: 1...40 as ClosedRange<UInt64>)
    func untracked(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let fix = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000),
            coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 10)
        var others = 0
        for _ in 0..<300 {
            func any(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
            let isLong = any(0...1) < 0.2
            let evidence = FixEvidence(
                accuracy: any(1...500), outlierProbability: any(0.001...0.99), weight: any(0...1),
                interval: isLong ? any(300...900) : any(0...PresenceRule.untrackedSpan), motionProbability: any(0...1),
                searchRadius: any(150...800), flag: nil)
            let proximity = Proximity(
                region: RegionHandle(0), covers: false, signedDistance: any(0...1) < 0.1 ? 0 : any(0...800),
                width: any(0...2000))
            var presence = ConfirmedPresence(.outside(since: fix.timestamp))
            let change = presence.handle(proximity, fix, evidence)
            #expect(change == nil)
            if isLong, !presence.isUntracked { others += 1 } else if !isLong { #expect(presence.isUntracked) }
        }
        #expect(others > 0)
    }

    @Test("searches as far as distances matter for the evidence", arguments: 1...40 as ClosedRange<UInt64>)
    func searchRadius(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func any(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        for _ in 0..<200 {
            let (said, ratio) = (any(0...40), any(0.1...9))
            let radius = TrustEvaluator.searchRadius(accuracy: said, errorVarianceRatio: ratio)
            #expect(radius <= max(150, 4 * said))
            // The evidence does not depend on distances beyond the radius.
            guard radius < 150 else { continue }
            let accuracy = said * pow(max(ratio, 0.5), FixRule.accuracyExponent)
            let evidence = FixEvidence(
                accuracy: accuracy, outlierProbability: any(0.001...0.99), weight: 1, interval: 1, motionProbability: 1,
                searchRadius: radius,
                flag: nil)
            let width = any(0...1000)
            for (near, far) in [(radius, radius + any(0...1000)), (-radius, -radius - any(0...1000))] {
                // A region that contains the fix this deep inside is at least as wide.
                let wide = max(width, -2 * far)
                let said = PresenceRule.logOdds(of: near, width: wide, evidence)
                #expect(abs(said - PresenceRule.logOdds(of: far, width: wide, evidence)) < 1e-6)
            }
        }
    }

    @Test("reads the state of an earlier version and recognises its positions")
    func earlier() throws {
        let position = Coordinate(latitude: 37.5512345, longitude: 126.9954321)
        let other = Coordinate(latitude: 37.5522345, longitude: 126.9954321)
        func number(_ coordinate: Coordinate) -> UInt64 {
            (coordinate.latitude.bitPattern &* 0x9E37_79B9_7F4A_7C15) ^ coordinate.longitude.bitPattern
        }
        let mark = """
            {"time":1772000000000,"latitude":\(other.latitude),"longitude":\(other.longitude),"accuracy":20,"speed":1.2}
            """
        let state = """
            {"last":\(mark),"trusted":\(mark),"tellsSpeed":true,"wild":0.02,"speed":0,"weight":0.4,"blur":1.1,
            "spots":[\(number(position)),\(number(other))],"doubts":{"leap":3,"coarse":1,"repeated":4}}
            """
        var evaluator = try JSONDecoder().decode(TrustEvaluator.self, from: Data(state.utf8))
        #expect(evaluator.flagCounts.leap == 3 && evaluator.flagCounts.repeated == 4)
        let back = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_060), coordinate: position,
            horizontalAccuracy: 20)
        var again = try JSONDecoder().decode(TrustEvaluator.self, from: JSONEncoder().encode(evaluator))
        let evidence = evaluator.evaluate(back).evidence
        #expect(evidence.flag == .repeated && evidence.interval == 60)
        #expect(again.evaluate(back).evidence == evidence)
    }
}
