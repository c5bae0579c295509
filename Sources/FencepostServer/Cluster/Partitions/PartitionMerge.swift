import FencepostService

/// A row of a partition's list.
struct PartitionRow: Hashable, Sendable {
    /// Its JSON, as the partition wrote it.
    var bytes: ArraySlice<UInt8>
    var key: RowKey
    /// The partition's cursor after the row.
    var cursor: String
}

/// Merges the sorted lists of all partitions into one, as far as they were read.
///
/// The rows of a partition keep their order. So from the places where a page ends the next page goes on, whatever was added
/// meanwhile.
struct PartitionMerge: Sendable {
    private struct Lane: Sendable {
        /// The cursor after the last row that was taken; `nil` at the start.
        var position: String?
        var rows: ArraySlice<PartitionRow> = []
        /// Whether there are more rows behind those that were read.
        var hasMore = true
    }

    private var lanes: [Lane]
    private let order: HistoryOrder

    /// - Parameters:
    ///   - positions: for each partition the cursor after which its list goes on; `nil` for its start.
    ///   - order: whether keys rise or fall in the lists. A falling one is the reverse of the rising one.
    init(after positions: [String?], order: HistoryOrder = .ascending) {
        lanes = positions.map { Lane(position: $0) }
        self.order = order
    }

    /// The partitions whose next rows have to be read before it is known which row comes next.
    var unread: [Int] { lanes.indices.filter { lanes[$0].rows.isEmpty && lanes[$0].hasMore } }

    /// For each partition the cursor after the last row that was taken.
    var positions: [String?] { lanes.map(\.position) }

    /// Whether there are rows that were not taken.
    var hasMore: Bool { lanes.contains { !$0.rows.isEmpty || $0.hasMore } }

    /// Adds what was read of a partition behind its position.
    mutating func add(_ rows: [PartitionRow], hasMore: Bool, to partition: Int) {
        lanes[partition].rows = rows[...]
        // A list that says it goes on, and has no row, would be read for ever.
        lanes[partition].hasMore = hasMore && !rows.isEmpty
    }

    /// Takes the next row; `nil` at the end of all lists. Of rows with equal keys that of the lower partition comes first,
    /// or last in a list that falls.
    ///
    /// - Precondition: no partition is `unread`.
    mutating func next() -> PartitionRow? {
        precondition(unread.isEmpty, "the order of rows that were not read is not known")
        var found: (lane: Int, key: RowKey)?
        for (index, lane) in lanes.enumerated() {
            guard let row = lane.rows.first else { continue }
            let isNext =
                switch order {
                case .ascending: found.map { row.key < $0.key } ?? true
                case .descending: found.map { row.key >= $0.key } ?? true
                }
            if isNext { found = (index, row.key) }
        }
        guard let found, let row = lanes[found.lane].rows.popFirst() else { return nil }
        lanes[found.lane].position = row.cursor
        return row
    }
}
