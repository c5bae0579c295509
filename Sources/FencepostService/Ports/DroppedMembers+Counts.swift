public import FencepostModel
import Metrics

extension DroppedMembers {
    /// The counts by name.
    public var counts: [String: Int] { Dictionary(uniqueKeysWithValues: named.map { ($0.name, $0.count) }) }

    /// Adds the counts to the metric of the process. Called where the locations were stored.
    public func countInMetrics() {
        for (name, count) in named {
            Counter(label: "fencepost_dropped_members_total", dimensions: [("member", name)]).increment(by: count)
        }
    }
}
