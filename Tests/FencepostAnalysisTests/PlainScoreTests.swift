import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import Testing

@Suite("Score of plain crossings") struct PlainScoreTests {
    private static let start = Timestamp(seconds: 1_770_000_000)
    private static let device = DeviceID("d")
    private static let region = RegionID("r")

    private func event(_ isEntry: Bool, at seconds: Double, confidence: Double? = nil) -> Event {
        let region = RegionSummary(
            Region(
                id: Self.region, shape: .circle(Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 1))))
        let moment = Self.start + .milliseconds(Int64(seconds * 1000))
        return Event(
            id: "e\(seconds)", sequence: 1, deviceID: Self.device,
            occurrence: isEntry ? .regionEntered(region) : .regionExited(region, reason: nil), timestamp: moment,
            detectedAt: moment, confidence: confidence)
    }

    /// Required from its first clear fix on, with fixes every minute, and due one minute after it.
    private func crossing(_ isEntry: Bool, clear: Double, until: Double?) -> PlainBenchmark.Crossing {
        func moment(_ seconds: Double) -> Timestamp { Self.start + .milliseconds(Int64(seconds * 1000)) }
        var crossing = PlainBenchmark.Crossing(
            device: Self.device, region: Self.region, isEntry: isEntry, timestamp: moment(clear - 20),
            isRequired: true)
        crossing.earliest = moment(clear - 60)
        crossing.clear = moment(clear)
        crossing.due = moment(clear + 60)
        crossing.until = until.map(moment)
        crossing.fixesAfter = [60, 120, 180, 240]
        return crossing
    }

    private func benchmark(_ crossings: [PlainBenchmark.Crossing], insideAtStart: Bool = false) -> PlainBenchmark {
        var benchmark = PlainBenchmark(name: "test")
        let cell = [PlainLabel("interval", "60"), PlainLabel("field", "honest"), PlainLabel("outliers", "0")]
        benchmark.streams = [.init(device: Self.device, cell: cell)]
        benchmark.crossings = crossings
        if insideAtStart { benchmark.insideAtStart = [.init(device: Self.device, region: Self.region)] }
        return benchmark
    }

    @Test("counts what is in time, late, missed, false and repeated")
    func counts() {
        let truth = benchmark([
            crossing(true, clear: 1000, until: 2120), crossing(false, clear: 2000, until: 3120),
            crossing(true, clear: 3000, until: nil),
        ])
        let events = [
            event(true, at: 1060, confidence: 0.99), event(true, at: 1500, confidence: 0.99),
            event(false, at: 2120, confidence: 0.8),
        ]
        let score = PlainScore(events, of: truth)
        #expect((score.all.required, score.all.inTime, score.all.late, score.all.missed) == (3, 1, 1, 1))
        #expect((score.all.falsePositives, score.all.duplicated) == (1, 1))
        // 2 · 1 / (3 required + 2 found + 1 false)
        #expect(abs(score.all.score - 1.0 / 3) < 1e-9)
        #expect(abs(score.dominance - 1.0 / 3) < 1e-9)
        #expect(score.all.delays == [0, 1, 1, 0, 0, 0, 0, 0])
        #expect(score.calibration.precision(from: 0.98) == 0.5)
        #expect(score.cells[PlainLabel("interval", "60")] == score.all)
        #expect(score.pairs.count == 3)
    }

    @Test("counts nothing before the last clear fix of the old side, nor after the window")
    func window() {
        let truth = benchmark([crossing(true, clear: 1000, until: 2000)])
        #expect(PlainScore([event(true, at: 940)], of: truth).all.falsePositives == 1)
        #expect(PlainScore([event(true, at: 941)], of: truth).all.inTime == 1)
        #expect(PlainScore([event(true, at: 1060.1)], of: truth).all.late == 1)
        #expect(PlainScore([event(true, at: 2000.1)], of: truth).all.falsePositives == 1)
        #expect(PlainScore([event(false, at: 1000)], of: truth).all.falsePositives == 1)
    }

    @Test("accepts an optional crossing once, and the entry of a device that starts inside")
    func optional() {
        var open = crossing(true, clear: 1000, until: 2000)
        open.isRequired = false
        let twice = PlainScore([event(true, at: 1000), event(true, at: 1100)], of: benchmark([open]))
        #expect((twice.all.optional, twice.all.falsePositives, twice.all.duplicated) == (1, 1, 1))
        let leaves = [event(true, at: 10), event(false, at: 1000)]
        let exit = [crossing(false, clear: 1000, until: nil)]
        #expect(PlainScore(leaves, of: benchmark(exit, insideAtStart: true)).all.falsePositives == 0)
        #expect(PlainScore(leaves, of: benchmark(exit)).all.falsePositives == 1)
        let again = [event(true, at: 10), event(true, at: 20), event(false, at: 1000)]
        #expect(PlainScore(again, of: benchmark(exit, insideAtStart: true)).all.falsePositives == 1)
    }

    @Test("names the worst cell only with twenty crossings")
    func worstCell() {
        let few = (1...19).map { crossing(true, clear: Double($0) * 1000, until: Double($0) * 1000 + 500) }
        #expect(PlainScore([], of: benchmark(few)).worstCell == nil)
        let enough = few + [crossing(true, clear: 20_000, until: nil)]
        let worst = PlainScore([event(true, at: 20_000)], of: benchmark(enough)).worstCell
        #expect(worst?.label == PlainLabel("interval", "60"))
        #expect(worst.map { abs($0.score - 2.0 / 21) < 1e-9 } == true)
    }

    @Test("sorts values by number")
    func labels() {
        let labels = [PlainLabel("speed", "zero"), PlainLabel("interval", "20"), PlainLabel("interval", "3")]
        #expect(labels.sorted().map(\.description) == ["interval=3", "interval=20", "speed=zero"])
    }
}

@Suite("Quality figures") struct QualityFiguresTests {
    private func figures(_ scores: [String: Double]) -> QualityFigures {
        var figures = QualityFigures()
        for (cell, score) in scores { figures[cell] = score }
        return figures
    }

    @Test("are the same when read again")
    func text() {
        let scores = figures(["plain interval=60": 0.98765, "crossings 1s": 1, "visits canyon": 0.0071])
        #expect(scores.text == "crossings 1s 1.0000\nplain interval=60 0.9877\nvisits canyon 0.0071\n")
        #expect(QualityFigures(text: "# a comment\n" + scores.text) == scores)
        #expect(QualityFigures(text: "plain\n") == nil)
        #expect(QualityFigures(text: "plain 97\n") == nil)
    }

    @Test("report a cell that is lower by more than 0.02, or missing")
    func regressions() {
        let before = figures(["a": 0.95, "b": 0.95, "c": 0.95, "d": 0.95])
        let now = figures(["a": 0.93, "b": 0.9299, "d": 0.99, "e": 0.1])
        #expect(now.regressions(from: before).map(\.description) == ["b: 0.930, was 0.950", "c: no figure, was 0.950"])
        #expect(now.cells(missingIn: before) == ["e"])
    }
}
