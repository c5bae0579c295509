import FencepostHTTP
import FencepostJSON
import FencepostModel
import HTTPTypes

/// Lists, merged by what a single node sorts them by.
extension PartitionFanOut {
    /// A page of a list with cursors.
    ///
    /// `withConfiguration`: whether the configuration has rows too; they are behind those of the partitions with an equal key.
    func page(
        _ question: PartitionQuestion, by order: RowOrder, withConfiguration: Bool = false
    ) async throws -> PartitionAnswer {
        let parts = partitions.devices + (withConfiguration ? [partitions.configuration] : [])
        let start = try await start(question, by: order, parts: parts.count)
        let versions = ChangeVersions(of: question.query["changedSince"], partitions: partitions.count)
        var merge = PartitionMerge(after: start.positions, order: question.order)
        var (rows, firsts): ([PartitionRow], [Int: (answer: PartitionAnswer, version: String?)]) = ([], [:])
        while rows.count < start.limit {
            let unread = merge.unread
            guard unread.isEmpty else {
                let positions = merge.positions
                let count = Self.share(of: start.limit - rows.count, among: parts.count)
                let answers = try await question.answers(from: unread, of: parts) { index in
                    var items = [(name: "limit", value: String(count))]
                    if let cursor = positions[index] { items.append(("cursor", cursor)) }
                    if let versions { items.append(("changedSince", versions.known[index])) }
                    var replaced: Set = ["limit", "cursor"]
                    if versions != nil { replaced.insert("changedSince") }
                    return question.asked(without: replaced, adding: items, isMarked: true)
                }
                for (index, answer) in answers {
                    let read = try PageRead(answer, by: order)
                    if firsts[index] == nil { firsts[index] = (answer, read.version) }
                    merge.add(read.rows, hasMore: read.hasMore, to: index)
                }
                continue
            }
            guard let row = merge.next() else { break }
            rows.append(row)
        }
        var next: String?
        if merge.hasMore, let last = rows.last {
            next = order.hasCommonCursors ? last.cursor : PartitionCursor.encode(merge.positions)
        }
        var version: String?
        if versions != nil { version = ChangeVersions.text((0..<partitions.count).map { firsts[$0]?.version ?? "" }) }
        guard let first = firsts.min(by: { $0.key < $1.key })?.value.answer else { throw Problem.internalError }
        return first.with(
            Self.body(rows.map(\.bytes), version: version, next: next),
            link: next.map { Call.link(to: question.path, question.query, cursor: $0) })
    }

    /// How many rows are read of each partition: somewhat more than its share, since refilling takes another request.
    private static func share(of rows: Int, among partitions: Int) -> Int { min(rows, 2 * rows / partitions + 8) }

    /// Where a page begins, and its length.
    ///
    /// - Throws: a `PartitionRefusal` with the API's own problem for a cursor or a length that is not valid.
    private func start(
        _ question: PartitionQuestion, by order: RowOrder, parts: Int
    ) async throws -> (positions: [String?], limit: Int) {
        let query = question.query
        let limit = query["limit"].map { Int($0) ?? 0 } ?? Call.defaultLimit
        var positions: [String?]? = Array(repeating: nil, count: parts)
        if let cursor = query["cursor"] {
            switch order {
            case .id: positions = Cursor.id(cursor).map { _ in Array(repeating: cursor, count: parts) }
            case .device:
                positions = Cursor.deviceLocation(cursor, question.order).map { _ in
                    Array(repeating: cursor, count: parts)
                }
            case .cursorTime, .time: positions = PartitionCursor.decode(cursor, partitions: parts)
            }
        }
        guard let positions, (1...Call.largestLimit).contains(limit),
            !query.emptyNames.contains(where: { $0 == "limit" || $0 == "cursor" })
        else {
            var request = question.asked()
            // Of a cluster of another size, or of one list: a partition might take it for its own.
            if positions == nil { request = question.asked(without: ["cursor"], adding: [("cursor", "~")]) }
            let problem = Problem.parameter(
                "cursor", "it has to be the nextCursor of an earlier page.", code: "invalid_cursor")
            throw PartitionRefusal(answer: try await question.refusal(of: request, otherwise: problem))
        }
        return (positions, limit)
    }

    /// A list without pages.
    func list(_ question: PartitionQuestion, by order: RowOrder) async throws -> PartitionAnswer {
        let answers = try await question.answers(to: question.asked())
        var merge = PartitionMerge(after: answers.map { _ in nil })
        for (partition, answer) in answers.enumerated() {
            merge.add(try PageRead(answer, by: order, needsCursors: false).rows, hasMore: false, to: partition)
        }
        var rows: [PartitionRow] = []
        while let row = merge.next() { rows.append(row) }
        return answers[0].with(Self.body(rows.map(\.bytes), version: nil, next: nil))
    }

    private static func body(_ rows: [ArraySlice<UInt8>], version: String?, next: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("data")
        writer.beginArray()
        for row in rows { writer.raw(row) }
        writer.endArray()
        if let version { writer.member("version", version) }
        writer.name("nextCursor")
        if let next { writer.value(next) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }
}

/// What was read of a partition's list.
private struct PageRead {
    var rows: [PartitionRow]
    var hasMore: Bool
    /// The version of the device list; `nil` for other lists.
    var version: String?

    /// - Throws: an internal error for an answer that is no page.
    init(_ answer: PartitionAnswer, by order: RowOrder, needsCursors: Bool = true) throws(Problem) {
        guard let page = PartitionPage(answer.bytes) else { throw .internalError }
        let given = page.root["cursors"]?.array.map { $0.map(\.string) } ?? []
        var rows: [PartitionRow] = []
        for (index, row) in page.rows.enumerated() {
            let cursor = index < given.count ? given[index] : order.cursor(after: row.value)
            guard let key = order.key(of: row.value, cursor: cursor), cursor != nil || !needsCursors else {
                throw .internalError
            }
            rows.append(PartitionRow(bytes: row.bytes, key: key, cursor: cursor ?? ""))
        }
        self.rows = rows
        (hasMore, version) = (page.root["nextCursor"]?.string != nil, page.root["version"]?.string)
    }
}

/// The versions of the device lists of all partitions, as one text.
struct ChangeVersions: Sendable {
    /// For each partition the version that the client has; `start` for none.
    let known: [String]

    /// - Returns: `nil` for a request that asks for no changes.
    init?(of text: String?, partitions: Int) {
        guard let text else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let isValid = parts.count == partitions && !parts.contains("")
        known = isValid ? parts : Array(repeating: "start", count: partitions)
    }

    /// The text for the client.
    static func text(_ versions: [String]) -> String { versions.joined(separator: "-") }
}
