import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Trust in fixes") struct FixTrustTests {
    @Test("judges alike beside a monitor's last fix and with one of its own", arguments: 1...20 as ClosedRange<UInt64>)
    func alike(seed: UInt64) {
        var device = WanderingDevice(seed: seed)
        var judge = FixJudge()
        var (trust, kept) = (FixTrust(), KeptFix())
        for fix in device.fixes(500) {
            let judgement = trust.judge(fix, after: kept.mark)
            kept.set(fix)
            #expect(judgement.evidence == judge.judge(fix))
            #expect(FixJudge(trust, last: kept.mark).doubts == judge.doubts)
        }
        #expect(judge.doubts.leap > 0)
    }

    /// A device of which nothing is known but that it was surely outside stays so: its evidence need not be reckoned.
    @Test("leaves no pair of a region that a fix is not in", arguments: 1...40 as ClosedRange<UInt64>)
    func certainty(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let fix = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000),
            coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 10)
        var others = 0
        for _ in 0..<300 {
            func any(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
            let isLong = any(0...1) < 0.2
            let evidence = FixEvidence(
                accuracy: any(1...500), outlier: any(0.001...0.99), weight: any(0...1),
                interval: isLong ? any(300...900) : any(0...PresenceRule.longestCertainty), motion: any(0...1),
                reach: any(150...800), doubt: nil)
            let proximity = Proximity(
                region: RegionHandle(0), covers: false, signedDistance: any(0...1) < 0.1 ? 0 : any(0...800),
                width: any(0...2000))
            var presence = ConfirmedPresence(.outside(since: fix.timestamp))
            let change = presence.handle(proximity, fix, evidence)
            #expect(change == nil)
            if isLong, !presence.isAtRest { others += 1 } else if !isLong { #expect(presence.isAtRest) }
        }
        #expect(others > 0)
    }

    @Test("reaches as far as a distance bears on what a fix says", arguments: 1...40 as ClosedRange<UInt64>)
    func reach(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func any(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        for _ in 0..<200 {
            let (said, blur) = (any(0...40), any(0.1...9))
            let reach = FixJudge.reach(accuracy: said, blur: blur)
            #expect(reach <= max(150, 4 * said))
            // Where it is shorter than it was once, nothing is lost.
            guard reach < 150 else { continue }
            let accuracy = said * pow(max(blur, 0.5), FixRule.blurPower)
            let evidence = FixEvidence(
                accuracy: accuracy, outlier: any(0.001...0.99), weight: 1, interval: 1, motion: 1, reach: reach,
                doubt: nil)
            let width = any(0...1000)
            for (near, far) in [(reach, reach + any(0...1000)), (-reach, -reach - any(0...1000))] {
                // A region that a fix is so deep in is at least as wide.
                let wide = max(width, -2 * far)
                let said = PresenceRule.logOdds(of: near, width: wide, evidence)
                #expect(abs(said - PresenceRule.logOdds(of: far, width: wide, evidence)) < 1e-6)
                let confidences = [near, far].map {
                    PresenceRule.confidence(odds: 2, distance: $0, accuracy: accuracy, isSatellite: true)
                }
                #expect(confidences[0] == confidences[1])
            }
        }
    }

    @Test("reads the state of an earlier version, and knows its spots again")
    func earlier() throws {
        let spot = Coordinate(latitude: 37.5512345, longitude: 126.9954321)
        let other = Coordinate(latitude: 37.5522345, longitude: 126.9954321)
        func number(_ place: Coordinate) -> UInt64 {
            (place.latitude.bitPattern &* 0x9E37_79B9_7F4A_7C15) ^ place.longitude.bitPattern
        }
        let mark = """
            {"time":1772000000000,"latitude":\(other.latitude),"longitude":\(other.longitude),"accuracy":20,"speed":0}
            """
        let state = """
            {"last":\(mark),"trusted":\(mark),"tellsSpeed":true,"wild":0.02,"speed":0,"weight":0.4,"blur":1.1,
            "spots":[\(number(spot)),\(number(other))],"doubts":{"leap":3,"coarse":1,"repeated":4}}
            """
        var judge = try JSONDecoder().decode(FixJudge.self, from: Data(state.utf8))
        #expect(judge.doubts.leap == 3 && judge.doubts.repeated == 4)
        let back = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_060), coordinate: spot,
            horizontalAccuracy: 20)
        var again = try JSONDecoder().decode(FixJudge.self, from: JSONEncoder().encode(judge))
        let evidence = judge.judge(back)
        #expect(evidence.doubt == .repeated && evidence.interval == 60)
        #expect(again.judge(back) == evidence)
    }
}
