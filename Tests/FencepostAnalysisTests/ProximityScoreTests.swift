import FencepostModel
import FencepostMonitor
import Testing

@testable import FencepostAnalysis

@Suite("Proximity score") struct ProximityScoreTests {
    @Test("finds meetings, repeats nothing, and does better than two simple rules") func score() throws {
        let score = ProximityScore(runs: 72, seed: 3)
        let own = try #require(score.all[.fencepost])
        #expect(own.truth > 200)
        #expect(own.f1 >= 0.95, "\(own)")
        #expect(own.repeats == 0)
        for method in [ProximityScore.Method.roam, .lastPositions] {
            let other = try #require(score.all[method])
            #expect(other.f1 < own.f1, "\(method) \(other)")
        }
        #expect(score.all[.roam]?.repeats ?? 0 > 100)
        #expect(score.cells["lag 300"]?[.fencepost]?.truth ?? 0 > 0)
    }

    @Test("writes a table, and figures of each cell") func tables() {
        let score = ProximityScore(runs: 24, seed: 5)
        var board = Scoreboard()
        board.addProximity("Proximity, seed 5", score)
        #expect(board.text.contains("motion walk") && board.text.contains("ROAM rule F1"))
        var figures = QualityFigures()
        figures.add(score)
        #expect(figures["proximity without repeats"] == 1)
        #expect(figures["proximity accuracy 5"] != nil)
    }
}
