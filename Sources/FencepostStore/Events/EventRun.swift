import FencepostService
import Foundation
import GRDB

/// Events of successive numbers whose lists are in the database.
///
/// Its rows are never changed but by an erasure: newer events get a run of their own, and small runs are merged.
struct EventRun: Sendable {
    let id: Int64
    let firstNumber: Int64
    let lastNumber: Int64
    let count: Int
    let firstTime: Int64
    let lastTime: Int64
    let firstReceived: Int64

    private static let columns = "id, first_number, last_number, count, first_time, last_time, first_received"

    private init(row: Row) throws {
        (id, firstNumber, lastNumber) = try (row[0], row[1], row[2])
        (count, firstTime, lastTime, firstReceived) = try (row[3], row[4], row[5], row[6])
    }

    /// The run of some events, which are not empty, under an id.
    init(_ id: Int64, of facts: [EventFacts]) {
        self.id = id
        count = facts.count
        firstNumber = facts.map(\.number).min() ?? 0
        lastNumber = facts.map(\.number).max() ?? 0
        firstTime = facts.map(\.timestamp).min() ?? 0
        lastTime = facts.map(\.timestamp).max() ?? 0
        firstReceived = facts.map(\.receivedAt).min() ?? 0
    }

    /// The run of successive ones, which are not empty, under an id.
    init(_ id: Int64, merging runs: [EventRun]) {
        self.id = id
        count = runs.reduce(0) { $0 + $1.count }
        firstNumber = runs.map(\.firstNumber).min() ?? 0
        lastNumber = runs.map(\.lastNumber).max() ?? 0
        firstTime = runs.map(\.firstTime).min() ?? 0
        lastTime = runs.map(\.lastTime).max() ?? 0
        firstReceived = runs.map(\.firstReceived).min() ?? 0
    }

    /// All runs in the order of their numbers.
    static func all(_ db: Database) throws -> [EventRun] {
        try Row.fetchAll(
            db.cachedStatement(sql: "SELECT \(columns) FROM event_run ORDER BY first_number")
        ).map { try EventRun(row: $0) }
    }

    /// The last number of all runs; 0 without any.
    static func lastNumber(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(last_number) FROM event_run")) ?? 0
    }

    /// An id that no run and no page has.
    static func nextID(_ db: Database) throws -> Int64 {
        let last = try Int64.fetchOne(
            db,
            sql: """
                SELECT max(coalesce((SELECT max(id) FROM event_run), 0), coalesce((SELECT max(run) FROM event_page), 0))
                """)
        return (last ?? 0) + 1
    }

    func insert(_ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO event_run (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [id, firstNumber, lastNumber, count, firstTime, lastTime, firstReceived])
    }
}

/// The pages of a list of a run.
struct EventPages {
    let db: Database
    let run: Int64
    let list: EventList

    /// A page as it was read.
    struct Page {
        var first: EventPosting
        var postings: [EventPosting]
    }

    static func insert(_ pages: some Sequence<EventListPage>, run: Int64, list: EventList, _ db: Database) throws {
        let sql = "INSERT INTO event_page (run, list, key, time, number, postings) VALUES (?, ?, ?, ?, ?, ?)"
        for page in pages {
            var row = try RowStatement(db, sql)
            for number in [run, list.rawValue, page.first.key, page.first.time, page.first.number] { row.bind(number) }
            row.bind(Data(page.bytes))
            try row.execute()
        }
    }

    /// The last page that begins at or before a posting; else the first page.
    func page(with posting: EventPosting) throws -> Page? {
        try page("<=", posting, "DESC") ?? page(">", posting, "ASC")
    }

    /// The page after that with this first posting.
    func page(after first: EventPosting) throws -> Page? { try page(">", first, "ASC") }

    /// The page before that with this first posting.
    func page(before first: EventPosting) throws -> Page? { try page("<", first, "DESC") }

    /// All pages in their order, with the keys of their rows.
    func forEach(_ body: (_ id: Int64, Page) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT key, time, number, postings, id FROM event_page WHERE run = ? AND list = ?
                ORDER BY key, time, number
                """, arguments: [run, list.rawValue])
        while let row = try rows.next() { try body(row[4], try Self.page(row)) }
    }

    private func page(_ comparison: String, _ posting: EventPosting, _ order: String) throws -> Page? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT key, time, number, postings FROM event_page
                    WHERE run = ? AND list = ? AND (key, time, number) \(comparison) (?, ?, ?)
                    ORDER BY key \(order), time \(order), number \(order) LIMIT 1
                    """), arguments: [run, list.rawValue, posting.key, posting.time, posting.number]
        ).map(Self.page)
    }

    private static func page(_ row: Row) throws -> Page {
        let first = try EventPosting(key: row[0], time: row[1], number: row[2])
        do {
            return Page(
                first: first, postings: try EventListPage.postings([UInt8](try row[3] as Data), from: first.key))
        } catch let error as CodecError {
            throw StoreError(.corrupt, "The lists of events are damaged: \(error.message). Run fencepost doctor.")
        }
    }
}

/// Goes through the postings of a key in a list of a run.
struct EventCursor {
    private let pages: EventPages
    private let key: Int64
    private let order: HistoryOrder
    /// Its postings that are not passed, in the order.
    private var rest: ArraySlice<EventPosting> = []
    /// The first posting of the page; `nil` at the end.
    private var first: EventPosting?

    /// - Parameters:
    ///   - pages: the pages of the list.
    ///   - key: the key.
    ///   - order: the order by time and number.
    ///   - start: the first posting that may be passed, in the order; `nil` for all.
    /// - Throws: when the database cannot be read.
    init(
        _ pages: EventPages, key: Int64, order: HistoryOrder = .ascending,
        from start: (time: Int64, number: Int64)? = nil
    ) throws {
        (self.pages, self.key, self.order) = (pages, key, order)
        let end = order == .ascending ? Int64.min : .max
        let from = EventPosting(key: key, time: start?.time ?? end, number: start?.number ?? end)
        guard let page = try pages.page(with: from) else { return }
        take(page)
        switch order {
        case .ascending: rest = rest.drop { $0 < from }
        case .descending: rest = rest.drop { $0 > from }
        }
    }

    /// The next one; `nil` at the end.
    mutating func next() throws -> EventPosting? {
        while true {
            if let posting = rest.popFirst() { return posting }
            guard let first else { return nil }
            let page =
                switch order {
                case .ascending: try pages.page(after: first)
                // All before it have a smaller key.
                case .descending: first.key < key ? nil : try pages.page(before: first)
                }
            guard let page, order == .descending || page.first.key <= key else {
                self.first = nil
                return nil
            }
            take(page)
        }
    }

    private mutating func take(_ page: EventPages.Page) {
        first = page.first
        let postings = page.postings.filter { $0.key == key }
        rest = order == .ascending ? postings[...] : postings.reversed()[...]
    }
}
