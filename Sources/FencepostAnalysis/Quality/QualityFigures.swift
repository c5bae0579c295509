/// Scores by cell, to compare with those of a file.
///
/// The file has one line per cell: its name, a space, and the score from 0 to 1 with four digits. Lines that
/// begin with `#` are comments.
public struct QualityFigures: Hashable, Sendable {
    /// A cell whose score is lower than in the file.
    public struct Regression: Hashable, Sendable, CustomStringConvertible {
        /// The name of the cell.
        public let cell: String
        /// The score of the file, 0 to 1.
        public let before: Double
        /// The present score, 0 to 1; `nil` without one.
        public let now: Double?

        /// The name with both scores.
        public var description: String {
            "\(cell): \(now.map { Scoreboard.decimal($0) } ?? "no figure"), was \(Scoreboard.decimal(before))"
        }
    }

    /// Scores in ten-thousandths by cell. Whole numbers, so that a file that is written and read again is equal.
    private var scores: [String: Int] = [:]

    /// No cells.
    public init() {}

    /// - Returns: `nil` if a line is not a name and a number.
    public init?(text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let end = line.lastIndex(of: " "), let score = Double(line[line.index(after: end)...]),
                (0...1).contains(score)
            else { return nil }
            self[String(line[..<end])] = score
        }
    }

    /// The number of cells.
    public var count: Int { scores.count }

    /// The score of a cell, 0 to 1, rounded to four digits; `nil` without one.
    public subscript(cell: String) -> Double? {
        get { scores[cell].map { Double($0) / 10_000 } }
        set { scores[cell] = newValue.map { Int(($0 * 10_000).rounded()) } }
    }

    /// Adds the overall figures and the cells of a plain benchmark that have enough required crossings.
    ///
    /// With less than 40, one crossing changes the score by more than the tolerance.
    public mutating func add(_ score: PlainScore) {
        self["plain score"] = score.all.score
        self["plain dominance"] = score.dominance
        self["plain at first clear fix"] = score.all.reported(within: 0)
        for (label, counts) in score.cells where counts.required >= 40 { self["plain \(label)"] = counts.score }
    }

    /// Adds the F1 of each sampling profile.
    public mutating func add(_ profiles: [String: CrossingScore]) {
        for (profile, score) in profiles { self["crossings \(profile)"] = score.f1 }
    }

    /// Adds the F1 of each sampling profile.
    public mutating func add(_ profiles: [String: VisitScore]) {
        for (profile, score) in profiles { self["visits \(profile)"] = score.f1 }
    }

    /// Adds the score of each kind.
    public mutating func add(_ kinds: [KindScore]) {
        for kind in kinds { self["kind \(kind.name)"] = kind.score }
    }

    /// One line per cell, sorted.
    public var text: String {
        scores.sorted { $0.key < $1.key }.map { cell, score in
            let digits = String(score % 10_000)
            return "\(cell) \(score / 10_000)." + String(repeating: "0", count: 4 - digits.count) + digits + "\n"
        }.joined()
    }

    /// The cells whose score is more than a tolerance lower than before, or that have no score any more.
    public func regressions(from before: QualityFigures, tolerance: Double = 0.02) -> [Regression] {
        let limit = Int((tolerance * 10_000).rounded())
        return before.scores.sorted { $0.key < $1.key }.compactMap { cell, score in
            guard let now = scores[cell] else {
                return Regression(cell: cell, before: Double(score) / 10_000, now: nil)
            }
            return score - now > limit
                ? Regression(cell: cell, before: Double(score) / 10_000, now: Double(now) / 10_000) : nil
        }
    }

    /// The cells that the other figures do not have.
    public func cells(missingIn other: QualityFigures) -> [String] {
        scores.keys.filter { other.scores[$0] == nil }.sorted()
    }
}
