/// Statistical functions.
enum Statistics {
    /// The quantile by linear interpolation between the two nearest ranks; `nil` of an empty list.
    ///
    /// The fraction is 0 for the minimum, 0.5 for the median, 1 for the maximum.
    static func quantile(_ fraction: Double, of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let rank = fraction * Double(sorted.count - 1)
        let low = Int(rank)
        let high = min(low + 1, sorted.count - 1)
        return sorted[low] + (sorted[high] - sorted[low]) * (rank - Double(low))
    }

    /// The value with this fraction of the list below it; `nil` of an empty list. 0.5 is the median, the upper one of two,
    /// and 1 the maximum.
    static func rank(_ fraction: Double, of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        return values.sorted()[min(values.count - 1, Int(fraction * Double(values.count)))]
    }

    /// The harmonic mean of precision and recall; 0 when both are 0.
    static func f1(precision: Double, recall: Double) -> Double {
        precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
    }

    /// 0 when the whole is 0.
    static func fraction(_ part: Int, of whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
}
