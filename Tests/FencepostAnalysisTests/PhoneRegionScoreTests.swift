import FencepostAnalysis
import Testing

@Suite("Regions on phones") struct PhoneRegionScoreTests {
    @Test("are there when a phone enters them, and never more than the system monitors") func score() throws {
        let score = try PhoneRegionScore(phones: PhoneRegionScore.usualPhones, seed: 41)
        #expect(score.all.entries > 800)
        #expect(score.all.share >= 0.99, "\(score.all), worst \(String(describing: score.worst))")
        #expect(score.fast.entries > 100)
        #expect(score.mostOnPhone == 20)
        #expect(score.all.messages <= 6 * score.all.hours + Double(PhoneRegionScore.usualPhones))
        var board = Scoreboard()
        board.addPhoneRegions("Regions on phones, seed 41", score)
        #expect(board.text.contains("days, significant, towns"))
        var figures = QualityFigures()
        figures.add(score)
        #expect(abs((figures["phone regions all"] ?? 0) - score.all.share) < 0.001)
    }
}
