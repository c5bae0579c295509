import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

@testable import FencepostServer

/// A test double of the partitions of a cluster: each has a list in memory, and answers with pages of it.
final class FakePartitions: PartitionCaller {
    /// A row of a list.
    struct Row: Hashable, Sendable {
        var id: String
        /// Milliseconds since 1970.
        var time: Int64
        /// The row's number in its partition.
        var number: Int64

        var json: String {
            "{\"id\":\"\(id)\",\"at\":\"\(Timestamp(milliseconds: time).rfc3339)\",\"odd\":\"]},\\\"\\\\\",\"x\":1.50}"
        }
    }

    let order: RowOrder
    /// Whether lists rise or fall.
    let direction: HistoryOrder
    private let lists: Mutex<[[Row]]>
    /// What a partition answers instead of a page.
    let failure = Mutex<(partition: Int, status: HTTPResponse.Status)?>(nil)

    /// The parts that do not have what is asked for; the configuration is behind the partitions.
    let missing = Mutex<Set<Int>>([])
    private let count: Int

    /// Whether the configuration has rows too.
    let withConfiguration: Bool

    init(
        _ partitions: Int, by order: RowOrder, _ direction: HistoryOrder = .ascending, withConfiguration: Bool = false
    ) {
        (self.order, self.direction, self.withConfiguration) = (order, direction, withConfiguration)
        count = partitions
        lists = Mutex(Array(repeating: [], count: partitions + 1))
    }

    var all: [Row] { lists.withLock { $0.flatMap { $0 } } }

    func add(time: Int64, to partition: Int, id: String) {
        lists.withLock { lists in
            lists[partition].append(Row(id: id, time: time, number: Int64(lists[partition].count + 1)))
        }
    }

    func answer(to request: PartitionRequest, from part: ClusterPartition) async throws -> Response {
        // The configuration has a list of its own, behind those of the partitions.
        let partition = if case .partition(let number) = part { number } else { count }
        if let failure = failure.withLock({ $0 }), failure.partition == partition {
            return Response(status: failure.status, headers: [.retryAfter: "2"])
        }
        if missing.withLock({ $0.contains(partition) }) { return Response(status: .notFound) }
        let query = Query(request.target.drop { $0 != "?" }.dropFirst()) ?? Query()
        let limit = query["limit"].flatMap { Int($0) } ?? 50
        guard (1...500).contains(limit) else { return RouteResponse(.badRequest, text: "limit").encoded() }
        var rows = lists.withLock { $0[partition] }.sorted(by: precedes)
        if let cursor = query["cursor"] {
            guard let position = position(of: cursor) else {
                return RouteResponse(.badRequest, text: "cursor").encoded()
            }
            rows = rows.filter { precedes(position, $0) }
        }
        let page = rows.prefix(limit)
        return RouteResponse { writer in
            writer.beginObject()
            writer.array("data", page) { $0.raw($1.json) }
            writer.name("nextCursor")
            if rows.count > limit, let last = page.last { writer.value(cursor(of: last)) } else { writer.null() }
            if case .id = order {} else { writer.list("cursors", page.map(self.cursor(of:))) }
            writer.endObject()
        }.encoded()
    }

    private func precedes(_ a: Row, _ b: Row) -> Bool {
        switch order {
        case .cursorTime where direction == .descending: (a.time, a.number) > (b.time, b.number)
        case .cursorTime: (a.time, a.number) < (b.time, b.number)
        case .id, .device: Array(a.id.utf8).lexicographicallyPrecedes(Array(b.id.utf8))
        case .time: a.number < b.number
        }
    }

    private func cursor(of row: Row) -> String {
        switch order {
        case .cursorTime:
            Cursor.encode(
                TimeCursor(timestamp: Timestamp(milliseconds: row.time), number: row.number), direction)
        case .id, .device: Cursor.encode(id: row.id)
        case .time: Cursor.encode(number: row.number)
        }
    }

    private func position(of cursor: String) -> Row? {
        switch order {
        case .cursorTime:
            Cursor.time(cursor, direction).map { Row(id: "", time: $0.timestamp.milliseconds, number: $0.number) }
        case .id, .device: Cursor.id(cursor).map { Row(id: $0, time: 0, number: 0) }
        case .time: Cursor.number(cursor).map { Row(id: "", time: 0, number: $0) }
        }
    }
}
