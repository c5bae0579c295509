/// How often events of a confidence are true.
public struct Calibration: Hashable, Sendable {
    /// The events of one range of confidence.
    public struct Class: Hashable, Sendable {
        public let range: Range<Double>
        public var trueOnes = 0
        public var falseOnes = 0

        /// `nil` where there are none.
        public var share: Double? {
            trueOnes + falseOnes > 0 ? Statistics.share(trueOnes, of: trueOnes + falseOnes) : nil
        }
    }

    public private(set) var classes: [Class]

    public init() {
        let bounds = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0001]
        classes = zip(bounds, bounds.dropFirst()).map { Class(range: $0..<$1) }
    }

    /// Of the events with at least this confidence the share that is true; `nil` where there are none.
    public func share(from confidence: Double) -> Double? {
        let chosen = classes.filter { $0.range.lowerBound >= confidence }
        let trueOnes = chosen.reduce(0) { $0 + $1.trueOnes }
        let all = chosen.reduce(trueOnes) { $0 + $1.falseOnes }
        return all > 0 ? Statistics.share(trueOnes, of: all) : nil
    }

    /// Counts an event; those that count neither way and those without a confidence are left out.
    mutating func add(_ told: Told) {
        guard let confidence = told.confidence,
            let place = classes.firstIndex(where: { $0.range.contains(confidence) })
        else { return }
        switch told.verdict {
        case .matches: classes[place].trueOnes += 1
        case .isFalse: classes[place].falseOnes += 1
        case .optional: break
        }
    }
}
