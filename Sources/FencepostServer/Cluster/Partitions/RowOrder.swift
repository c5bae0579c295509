import FencepostJSON
import FencepostModel
import FencepostService

/// By what the rows of a list are sorted, and where a row has it.
enum RowOrder: Hashable, Sendable {
    /// By the time in each row's cursor.
    case cursorTime
    /// By arrival; a member of each row has a time that stands for it where rows of several partitions meet.
    case time(String)
    /// By the device of each row: locations of several devices. A cursor names the device, so that it is one of all partitions.
    case device
    /// By the bytes of an id in each row, which is also its place in the list.
    case id(String)

    /// The key of a row.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - cursor: the cursor after the row.
    /// - Returns: `nil` when the row does not have what it is sorted by.
    func key(of row: JSONElement, cursor: String?) -> RowKey? {
        switch self {
        case .cursorTime:
            return cursor.flatMap { Cursor.time($0) ?? Cursor.time($0, .descending) }
                .map { .time($0.timestamp.milliseconds) }
        case .device: return row["deviceId"]?.utf8.map { .text(Array($0)) }
        case .time(let name):
            return row[name]?.string.flatMap { Timestamp(rfc3339: $0) }.map { .time($0.milliseconds) }
        case .id(let name): return row[name]?.utf8.map { .text(Array($0)) }
        }
    }

    /// The cursor after a row, where it follows from the row.
    func cursor(after row: JSONElement) -> String? {
        guard case .id(let name) = self else { return nil }
        return row[name]?.string.map { Cursor.encode(id: $0) }
    }

    /// Whether the cursor after a row is a place in the lists of all partitions.
    var hasCommonCursors: Bool {
        switch self {
        case .id, .device: true
        case .cursorTime, .time: false
        }
    }
}

/// What a row is sorted by.
enum RowKey: Hashable, Sendable, Comparable {
    case time(Int64)
    case text([UInt8])

    static func < (a: RowKey, b: RowKey) -> Bool {
        switch (a, b) {
        case (.time(let a), .time(let b)): a < b
        case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
        case (.time, .text): true
        case (.text, .time): false
        }
    }
}
