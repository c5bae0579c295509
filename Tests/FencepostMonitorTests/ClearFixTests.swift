import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Short ways of confirmed presence") struct ClearFixTests {
    @Test("a fix clearly inside changes a state as any fix does")
    func clear() throws {
        var count = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            var device = WanderingDevice(seed: seed)
            var (trust, last) = (FixTrust(), LastFix())
            var presence = ConfirmedPresence(.unknown)
            let fixes = device.fixes(500)
            let plane = LocalPlane(origin: try #require(fixes.first).coordinate)
            for fix in fixes {
                var assessment = trust.evaluate(fix, after: last.summary)
                last.set(fix)
                let distance = plane.distance(to: fix.coordinate) - 1000
                let proximity = Proximity(
                    region: RegionHandle(0), covers: distance <= 0, signedDistance: distance, width: 2000)
                var other = presence
                let change = presence.handle(proximity, fix, assessment.evidence)
                guard let clear = assessment.clearFix,
                    other.isConfirmedInside(signedDistance: distance, clear)
                else { continue }
                other.stayInside(signedDistance: distance, clear)
                #expect(change == nil && other == presence)
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test("wide regions have the log-odds of the whole formula")
    func logOdds() {
        var random = SeededGenerator(seed: 1)
        var wide = 0
        for _ in 0..<5000 {
            let evidence = FixEvidence(
                accuracy: Double.random(in: 1...80, using: &random),
                outlierProbability: Double.random(in: 0.002...0.6, using: &random), weight: 1, interval: 10,
                motionProbability: 0.5, searchRadius: 150)
            let distance = Double.random(in: -150...150, using: &random)
            let width = Double.random(in: 0...900, using: &random)
            let deviation = max(evidence.accuracy, PresenceRule.leastAccuracy) / PresenceRule.radiusOfAccuracy
            if width >= PresenceRule.wideRegion * deviation { wide += 1 }
            let expected = whole(distance, max(width, -2 * distance), deviation, evidence.outlierProbability)
            let found = PresenceRule.logOdds(of: distance, width: width, evidence)
            #expect(abs(found - expected) < 1e-9 * max(1, abs(expected)))
        }
        #expect(wide > 1000)
    }

    /// The formula of `PresenceRule.logOdds` without its short ways.
    private func whole(_ distance: Double, _ width: Double, _ deviation: Double, _ outlier: Double) -> Double {
        func upperTail(_ value: Double) -> Double { erfc(value / 2.0.squareRoot()) / 2 }
        func clamped(_ value: Double, _ least: Double) -> Double { min(max(value, least), 1 - least) }
        var inside = upperTail(distance / deviation) - upperTail((distance + width) / deviation)
        if distance < 0 {
            let center = clamped(1 - 2 * upperTail(width / 2 / deviation), 0.01)
            let lift = PresenceRule.smallShare * max(0, PresenceRule.smallOdds - log(center / (1 - center)))
            inside = 1 / (1 + exp(-log(clamped(inside, 1e-6) / (1 - clamped(inside, 1e-6))) - lift))
            let widths = PresenceRule.restWidths
            let smallness = min(max((widths.none - width) / (widths.none - widths.full), 0), 1)
            // The evidence of the test is half in motion.
            let rest = PresenceRule.restOdds * smallness * 0.5 * min(-distance / PresenceRule.restDepth, 1)
            inside = 1 / (1 + exp(-log(clamped(inside, 1e-6) / (1 - clamped(inside, 1e-6))) - rest))
        }
        let probability = clamped((1 - outlier) * inside + outlier / 2, 1e-6)
        return log(probability / (1 - probability))
    }
}
