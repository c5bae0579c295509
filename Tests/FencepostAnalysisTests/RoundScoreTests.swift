import Testing

@testable import FencepostAnalysis

@Suite("Plans in generated rounds") struct RoundScoreTests {
    @Test("have 99 % of the verdicts right in more than two hundred rounds", arguments: [11, 1, 2, 3, 100])
    func verdicts(seed: UInt64) throws {
        let score = try RoundScore(rounds: RoundScore.usualRounds, seed: seed)
        #expect(score.all.places >= 1000)
        #expect(score.all.share >= 0.99, "\(score.all), worst \(score.worst)")
        #expect(score.worst.share >= 0.94, "\(score.worst)")
        #expect(score.all.ordersRight == score.all.rounds && score.all.rounds > 150)
        for behaviour in GeneratedRound.Behaviour.allCases {
            #expect(score.cells["did \(behaviour.rawValue)"]?.places ?? 0 > 50)
        }
        // A visit that was in a silence is reported as missed, but not surely.
        #expect(score.all.hiddenSure <= score.all.hidden / 10)
    }

    @Test("are the same for the same seed")
    func seeds() throws {
        let (first, again) = (try RoundScore(rounds: 33, seed: 3), try RoundScore(rounds: 33, seed: 3))
        #expect(first.cells == again.cells)
        let other = try RoundScore(rounds: 33, seed: 4)
        #expect(first.cells != other.cells)
    }
}
