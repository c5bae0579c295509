/// Percentiles and the like of a list of numbers.
enum Statistics {
    /// The share-th quantile by linear interpolation between the two nearest ranks; `nil` of an empty list.
    static func quantile(_ share: Double, of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let rank = share * Double(sorted.count - 1)
        let low = Int(rank)
        let high = min(low + 1, sorted.count - 1)
        return sorted[low] + (sorted[high] - sorted[low]) * (rank - Double(low))
    }

    /// The harmonic mean of precision and recall; 0 where both are.
    static func f1(precision: Double, recall: Double) -> Double {
        precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
    }

    static func share(_ part: Int, of whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
}
