extension Scoreboard {
    /// Adds a table of meetings: all runs, then one row per value, with the same of two simple rules.
    public mutating func addProximity(_ title: String, _ score: ProximityScore) {
        text += "\n\(title)\n\n"
        let order = ["motion", "accuracy", "interval", "lag", "silence"]
        let labels = score.cells.keys.sorted { a, b in
            let (first, second) = (a.split(separator: " "), b.split(separator: " "))
            let ranks = [first, second].map { order.firstIndex(of: String($0[0])) ?? order.count }
            if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
            let numbers = [first, second].map { Int($0[1]) ?? 0 }
            return numbers[0] == numbers[1] ? a < b : numbers[0] < numbers[1]
        }
        var header = ["meetings", "episodes", "precision", "recall", "F1", "repeats", "withdrawn"]
        for method in ProximityScore.Method.allCases.dropFirst() {
            header += ["\(method.rawValue) F1", "repeats"]
        }
        addTable(
            header, [Self.row("all", score.all)] + labels.map { Self.row($0, score.cells[$0] ?? [:]) })
    }

    private static func row(_ name: String, _ cells: [ProximityScore.Method: ProximityScore.Cell]) -> [String] {
        let own = cells[.fencepost] ?? ProximityScore.Cell()
        var row = [
            name, String(own.truth), decimal(own.precision), decimal(own.recall), decimal(own.f1), String(own.repeats),
            String(own.withdrawn),
        ]
        for method in ProximityScore.Method.allCases.dropFirst() {
            let cell = cells[method] ?? ProximityScore.Cell()
            row += [decimal(cell.f1), String(cell.repeats)]
        }
        return row
    }
}

extension QualityFigures {
    /// Adds the figures of meetings: that nothing repeats, and the F1 of each cell.
    public mutating func add(_ score: ProximityScore) {
        self["proximity without repeats"] = score.all[.fencepost]?.repeats == 0 ? 1 : 0
        self["proximity all"] = score.all[.fencepost]?.f1 ?? 0
        for (label, cells) in score.cells { self["proximity \(label)"] = cells[.fencepost]?.f1 ?? 0 }
    }
}
