extension Scoreboard {
    /// Adds a table of fences: one row per accuracy without outliers and with them, then one per noise, interval and departure.
    public mutating func addFences(_ title: String, _ score: FenceScore) {
        text += "\n\(title)\n\n"
        let order = ["accuracy", "noise", "interval", "departure"]
        let labels = score.cells.keys.sorted { a, b in
            let (first, second) = (a.split(separator: " "), b.split(separator: " "))
            let ranks = [first, second].map { order.firstIndex(of: String($0[0])) ?? order.count }
            if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
            let numbers = [first, second].map { Int($0[1]) ?? 0 }
            return numbers[0] == numbers[1] ? a < b : numbers[0] < numbers[1]
        }
        addTable(
            ["fences", "nights", "false alarms", "left", "within 2 fixes", "within 3", "later", "alarms twice"],
            [Self.row("all", score.all)] + labels.map { Self.row($0, score.cells[$0] ?? FenceScore.Cell()) })
    }

    private static func row(_ name: String, _ cell: FenceScore.Cell) -> [String] {
        [
            name, String(cell.nights), String(cell.falseAlarms), String(cell.departures), decimal(cell.prompt),
            decimal(cell.promptAtThird), String(cell.later), String(cell.repeated),
        ]
    }
}

extension QualityFigures {
    /// Adds the figures of fences: whether all nights were quiet, and by accuracy the share of alarms by the second fix, where
    /// there are no outliers, and by the third, where there are.
    public mutating func add(_ score: FenceScore) {
        self["fences quiet"] = score.all.falseAlarms == 0 ? 1 : 0
        for (label, cell) in score.cells {
            guard label.hasPrefix("accuracy ") else { continue }
            if label.hasSuffix(" plain") { self["fences \(label) within 2"] = cell.prompt }
            if label.hasSuffix(" outliers") { self["fences \(label) within 3"] = cell.promptAtThird }
        }
    }
}
