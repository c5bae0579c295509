extension Scoreboard {
    /// Adds a table of a plain benchmark: one row per detector, and the calibration of the first one.
    public mutating func addPlain(_ title: String, _ scores: [(name: String, score: PlainScore)]) {
        text += "\n\(title)\n\n"
        let header =
            Self.countsHeader("detector") + ["dominance", "within 1 fix", "within 2", "worst cell", "silent in time"]
        addTable(
            header,
            scores.map { name, score in
                Self.row(name, score.all) + [
                    Self.decimal(score.dominance), Self.decimal(score.all.reported(within: 1)),
                    Self.decimal(score.all.reported(within: 2)),
                    score.worstCell.map { "\($0.label) \(Self.decimal($0.score))" } ?? "–",
                    "\(score.silentInTime) of \(score.silent)",
                ]
            })
        if let first = scores.first { addCalibration(first.name, first.score.calibration) }
    }

    /// Adds a table with one row per cell, and one with the twelve pairs of values with the lowest scores.
    public mutating func addPlainCells(_ name: String, _ score: PlainScore) {
        text += "\nCells of \(name)\n\n"
        addTable(
            Self.countsHeader("cell"),
            score.cells.sorted { $0.key < $1.key }.map { Self.row($0.key.description, $0.value) })
        text += "\nPairs of cells with the lowest scores of \(name)\n\n"
        addTable(
            Self.countsHeader("pair"), score.worstPairs(12).map { Self.row($0.pair.description, $0.counts) })
    }

    private static func countsHeader(_ first: String) -> [String] {
        [
            first, "devices", "true", "score", "in time", "late", "missed", "false", "duplicates", "false/100",
            "at first clear fix",
        ]
    }

    private static func row(_ name: String, _ counts: PlainScore.Counts) -> [String] {
        [
            name, String(counts.devices), String(counts.required), decimal(counts.score), String(counts.inTime),
            String(counts.late), String(counts.missed), String(counts.falsePositives), String(counts.duplicated),
            decimal(counts.falsePerHundred, digits: 1), decimal(counts.reported(within: 0)),
        ]
    }
}
