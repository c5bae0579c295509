extension Scoreboard {
    /// Adds a table of kinds: one row for each score.
    public mutating func addKinds(_ title: String, _ scores: [KindScore]) {
        text += "\n\(title)\n\n"
        addTable(
            ["kind", "what", "true", "score", "false", "missed", "worst device", "its score"],
            scores.map { score in
                [
                    score.name, score.measure, String(score.required), Self.decimal(score.score),
                    score.falsePositives.map { String($0) } ?? "–", String(score.missed), score.worst?.name ?? "–",
                    score.worst.map { Self.decimal($0.score) } ?? "–",
                ]
            })
    }
}
