extension Scoreboard {
    /// Adds a table of rounds: all places, then one row for each value of what the device did, its accuracy, noise and interval,
    /// and the worst one.
    public mutating func addRounds(_ title: String, _ score: RoundScore) {
        text += "\n\(title)\n\n"
        let order = ["did", "accuracy", "noise", "interval"]
        let labels = score.cells.keys.sorted { a, b in
            let (first, second) = (a.split(separator: " "), b.split(separator: " "))
            let ranks = [first, second].map { order.firstIndex(of: String($0[0])) ?? order.count }
            if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
            let numbers = [first, second].map { Int($0[1]) ?? 0 }
            return numbers[0] == numbers[1] ? a < b : numbers[0] < numbers[1]
        }
        addTable(
            ["rounds", "places", "right", "hidden", "hidden, above 0.9", "orders right"],
            [Self.row("all", score.all)] + labels.map { Self.row($0, score.cells[$0] ?? RoundScore.Cell()) }
                + [Self.row("worst: \(score.worst.label)", score.cells[score.worst.label] ?? RoundScore.Cell())])
    }

    private static func row(_ name: String, _ cell: RoundScore.Cell) -> [String] {
        [
            name, String(cell.places), decimal(cell.share), String(cell.hidden), String(cell.hiddenSure),
            cell.rounds == 0 ? "" : "\(cell.ordersRight) of \(cell.rounds)",
        ]
    }
}

extension QualityFigures {
    /// Adds the figures of rounds: the share of right verdicts by each value of each dimension, and of right orders.
    public mutating func add(_ score: RoundScore) {
        self["rounds all"] = score.all.share
        self["rounds orders"] = score.all.rounds == 0 ? 1 : Double(score.all.ordersRight) / Double(score.all.rounds)
        for (label, cell) in score.cells { self["rounds \(label)"] = cell.share }
    }
}
