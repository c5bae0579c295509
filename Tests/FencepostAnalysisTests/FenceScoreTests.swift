import Testing

@testable import FencepostAnalysis

@Suite("Fences in generated nights") struct FenceScoreTests {
    private static let score = FenceScore(nights: FenceScore.usualNights, seed: 11)

    @Test("do not alarm about parked devices in a thousand nights")
    func quiet() {
        #expect(Self.score.all.nights >= 1000 && Self.score.all.falseAlarms == 0)
        #expect(Self.score.all.repeated == 0)
        #expect(Self.score.cells.filter { $0.key.hasPrefix("noise ") }.count == FenceNight.Noise.allCases.count)
    }

    @Test("alarm by the second fix after a device has left, and by the third where there are outliers")
    func prompt() {
        #expect(Self.score.all.departures > 950)
        for accuracy in FenceNight.accuracies {
            let plain = Self.score.cells["accuracy \(accuracy) plain"]
            #expect(plain?.prompt ?? 0 > 0.96, "\(accuracy) m")
            let others = Self.score.cells["accuracy \(accuracy) outliers"]
            #expect(others?.promptAtThird ?? 0 > 0.96, "\(accuracy) m, with outliers")
        }
    }

    @Test("are the same for the same seed")
    func seeds() {
        let (first, again) = (FenceScore(nights: 77, seed: 3), FenceScore(nights: 77, seed: 3))
        #expect(first.cells == again.cells)
        #expect(first.cells != FenceScore(nights: 77, seed: 4).cells)
    }
}
