/// The fraction of correct events by their confidence.
public struct Calibration: Hashable, Sendable {
    /// The events in one range of confidence.
    public struct Class: Hashable, Sendable {
        /// Confidences of the events.
        public let range: Range<Double>
        /// Number of events that match a true one.
        public var correct = 0
        /// Number of false events.
        public var incorrect = 0

        /// Fraction of correct events; `nil` without events.
        public var precision: Double? {
            correct + incorrect > 0 ? Statistics.fraction(correct, of: correct + incorrect) : nil
        }
    }

    /// Ranges of confidence in increasing order.
    public private(set) var classes: [Class]

    /// A calibration without events.
    public init() {
        let bounds = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0001]
        classes = zip(bounds, bounds.dropFirst()).map { Class(range: $0..<$1) }
    }

    /// Fraction of correct events among those with at least this confidence; `nil` without events.
    public func precision(from confidence: Double) -> Double? {
        let chosen = classes.filter { $0.range.lowerBound >= confidence }
        let correct = chosen.reduce(0) { $0 + $1.correct }
        let all = chosen.reduce(correct) { $0 + $1.incorrect }
        return all > 0 ? Statistics.fraction(correct, of: all) : nil
    }

    /// Counts an event. Optional events and events without a confidence are skipped.
    mutating func add(_ event: ScoredCrossing) {
        guard let confidence = event.confidence else { return }
        switch event.verdict {
        case .matches: add(confidence, isCorrect: true)
        case .isFalse: add(confidence, isCorrect: false)
        case .optional: break
        }
    }

    mutating func add(_ confidence: Double, isCorrect: Bool) {
        guard let index = classes.firstIndex(where: { $0.range.contains(confidence) }) else { return }
        if isCorrect { classes[index].correct += 1 } else { classes[index].incorrect += 1 }
    }
}
