import FencepostModel
import FencepostService
import Foundation
import GRDB

extension SQLiteStore {
    /// Makes runs of the events of a database of before schema 19, in a transaction each, but for the newest ones.
    ///
    /// It takes about 3 µs an event; what an interruption leaves the next start continues. Without it, what is known of all of them
    /// would be in memory until maintenance has made runs of them.
    static func writeRunsOfOlderEvents(_ db: Database, _ limits: MaintenanceLimits) throws {
        let most = limits.eventBatch * limits.eventMerge
        while true {
            let last = try EventRun.lastNumber(db)
            let next = try Int64.fetchOne(
                db, sql: "SELECT number FROM event WHERE number > ? ORDER BY number LIMIT 1 OFFSET \(most)",
                arguments: [last])
            guard let next else { return }
            var (facts, names): ([EventFacts], Set<EventTail.Name>) = ([], [])
            facts.reserveCapacity(most)
            let rows = try Row.fetchCursor(
                db, sql: "SELECT \(EventRows.factColumns) FROM event WHERE number > ? AND number < ?",
                arguments: [last, next])
            while let row = try rows.next() {
                facts.append(try EventRows.facts(row))
                names.insert(EventTail.Name(list: .type, text: try row[2]))
                if let device = try row[3] as String? { names.insert(EventTail.Name(list: .device, text: device)) }
            }
            try db.inTransaction(.immediate) {
                let id = try EventRun.nextID(db)
                for list in EventList.allCases {
                    let pages = EventListPage.pages(of: EventFacts.postings(of: facts, in: list))
                    try EventPages.insert(pages, run: id, list: list, db)
                }
                try EventRun(id, of: facts).insert(db)
                try insert(names, db)
                return .commit
            }
        }
    }

    private static func insert(_ names: Set<EventTail.Name>, _ db: Database) throws {
        for name in names.sorted(by: { ($0.list.rawValue, $0.text) < ($1.list.rawValue, $1.text) }) {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO event_name (list, name) VALUES (?, ?)")
                .execute(arguments: [name.list.rawValue, name.text])
        }
    }

    /// Makes runs of the newest events, if there are enough of them, and merges small runs.
    ///
    /// - Returns: the number of events that got into a run; 0 if nothing was due.
    func writeEventRunsIfDue(isForced: Bool) async throws(StoreError) -> Int {
        var written = 0
        while eventTail.backlog >= (isForced ? 1 : limits.eventBatch) {
            let backlog = eventTail.backlog
            let most = limits.eventBatch * limits.eventMerge
            let count = min(backlog, most)
            written += try await writeEventRun(count, isPaced: !isForced && backlog < limits.eventBacklog)
        }
        try await mergeEventRuns(isPaced: !isForced && eventTail.backlog < limits.eventBacklog)
        return written
    }

    /// Makes a run of the next events.
    ///
    /// - Returns: the number of events.
    private func writeEventRun(_ count: Int, isPaced: Bool) async throws(StoreError) -> Int {
        let (facts, names) = eventTail.next(count)
        guard let last = facts.last?.number else { return 0 }
        let lists = EventList.allCases.map { ($0, EventListPage.pages(of: EventFacts.postings(of: facts, in: $0))) }
        let id = try await read { db in try EventRun.nextID(db) }
        for (list, pages) in lists {
            try await insert(pages[...], run: id, list, isPaced: isPaced)
        }
        // A power cut may undo it: the next start finds these events in no run again.
        try await writeSlice(isPaced: isPaced, isSynced: false) { db in
            try EventRun(id, of: facts).insert(db)
            try Self.insert(names, db)
        }
        eventTail.didWrite(through: last, names)
        return facts.count
    }

    /// Inserts pages in transactions of some milliseconds.
    private func insert(
        _ pages: ArraySlice<EventListPage>, run: Int64, _ list: EventList, isPaced: Bool
    ) async throws(StoreError) {
        var rest = pages
        while !rest.isEmpty {
            let part = rest.prefix(limits.eventPages)
            rest = rest.dropFirst(part.count)
            try await writeSlice(isPaced: isPaced, isSynced: false) { db in
                try EventPages.insert(part, run: run, list: list, db)
            }
        }
    }

    /// Makes one run of successive small ones where there are enough of them, and removes pages that belong to no run.
    private func mergeEventRuns(isPaced: Bool) async throws(StoreError) {
        let least = limits.eventMerge
        let small = limits.eventBatch * limits.eventMerge / 2
        while true {
            let runs = try await read { db in try EventRun.all(db) }
            let newest = Array(runs.reversed().prefix { $0.count < small }.reversed())
            guard newest.count >= least else { break }
            let merged = newest.prefix(least)
            let id = try await read { db in try EventRun.nextID(db) }
            for list in EventList.allCases {
                let postings = try await read { db in
                    var postings: [EventPosting] = []
                    for run in merged {
                        try EventPages(db: db, run: run.id, list: list).forEach { _, page in postings += page.postings }
                    }
                    return postings
                }
                try await insert(EventListPage.pages(of: postings.sorted())[...], run: id, list, isPaced: isPaced)
            }
            try await writeSlice(isPaced: isPaced, isSynced: false) { db in
                for run in merged {
                    try db.cachedStatement(sql: "DELETE FROM event_run WHERE id = ?").execute(arguments: [run.id])
                }
                try EventRun(id, merging: Array(merged)).insert(db)
            }
        }
        try await removeUnusedEventPages(isPaced: isPaced)
    }

    /// Removes pages of runs that were merged or removed, or whose writing was interrupted.
    func removeUnusedEventPages(isPaced: Bool) async throws(StoreError) {
        let unused = try await read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT value FROM (\(SkipScan.sql("run", of: "event_page")))
                    WHERE value NOT IN (SELECT id FROM event_run)
                    """)
        }
        let most = limits.eventPages
        for run in unused {
            var count = most
            while count == most {
                count = try await writeSlice(isPaced: isPaced, isSynced: false) { db in
                    try db.cachedStatement(
                        sql: """
                            DELETE FROM event_page WHERE id IN (SELECT id FROM event_page WHERE run = ? LIMIT \(most))
                            """
                    ).execute(arguments: [run])
                    return db.changesCount
                }
            }
        }
    }

    // MARK: - Deletion

    /// Deletes the events that match a condition, with their messages, in small transactions. Their postings stay.
    ///
    /// - Parameters:
    ///   - numbers: the numbers that may match.
    ///   - condition: the condition on rows of `event`.
    ///   - arguments: those of the condition.
    /// - Returns: the number of deleted events.
    /// - Throws: when the database cannot be written; those of the transactions before are deleted.
    func deleteEvents(
        among numbers: [Int64], _ condition: String, _ arguments: StatementArguments
    ) async throws(StoreError) -> Int {
        var removed = 0
        var rest = numbers[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(200))
            rest = rest.dropFirst(part.count)
            removed += try await write { db in
                let old = try Row.fetchAll(
                    db.cachedStatement(
                        sql: """
                            SELECT number, id, timestamp FROM event
                            WHERE number IN (SELECT value FROM json_each(?)) AND \(condition)
                            """), arguments: [part.json] + arguments)
                try Self.delete(old, db)
                return old.count
            }
        }
        return removed
    }

    /// Deletes events, each a row of its number, its id and its time, with their messages.
    private static func delete(_ old: [Row], _ db: Database) throws {
        // The next messages of an ordered queue wait for one that is deleted.
        var queues: Set<[String]> = []
        for event in old {
            let ordered = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT endpoint_id, device_id FROM delivery
                        WHERE event_timestamp = ? AND event_id = ? AND status = 0 AND is_ordered = 1
                          AND device_id IS NOT NULL
                        """), arguments: [event[2] as Int64, event[1] as String])
            while let queue = try ordered.next() { try queues.insert([queue[0], queue[1]]) }
            try db.cachedStatement(sql: "DELETE FROM delivery WHERE event_timestamp = ? AND event_id = ?")
                .execute(arguments: [event[2] as Int64, event[1] as String])
            try db.cachedStatement(sql: "DELETE FROM event WHERE number = ?")
                .execute(arguments: [event[0] as Int64])
        }
        for queue in queues.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            try DeliveryQueue(db).renewHead(endpoint: queue[0], device: queue[1])
        }
    }

    /// The numbers of events that came before a time, at most 5000, after a number.
    private func expiredEvents(before end: Timestamp, after last: Int64) async throws(StoreError) -> (
        expired: [Int64], last: Int64?
    ) {
        try await read { db in
            let runs = try EventRun.all(db)
            // The next events are those of the next run, which is passed over where all of them came later.
            var last = last
            for run in runs where run.lastNumber > last {
                guard run.firstReceived >= end.milliseconds else { break }
                last = run.lastNumber
            }
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: "SELECT number, received_at FROM event WHERE number > ? ORDER BY number LIMIT 5000"),
                arguments: [last])
            let expired = try rows.filter { try $0[1] < end.milliseconds }.map { try $0[0] as Int64 }
            return (expired, try rows.last?[0])
        }
    }

    /// Deletes events that came before a time, with their messages, and the runs of which nothing is left.
    ///
    /// - Returns: the number of deleted events.
    func deleteEvents(before end: Timestamp) async throws(StoreError) -> Int {
        var (removed, last) = (0, Int64(0))
        while true {
            let found = try await expiredEvents(before: end, after: last)
            removed += try await deleteEvents(among: found.expired, "received_at < ?", [end.milliseconds])
            guard let next = found.last else { break }
            last = next
        }
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM event_run WHERE last_number < coalesce((SELECT min(number) FROM event), \(Int64.max))
                    """)
        }
        try await removeUnusedEventPages(isPaced: true)
        return removed
    }

    /// Deletes the events of a device and their postings, and the events of the service that a text names.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - forms: its id as it occurs in texts.
    /// - Throws: when the database cannot be written; another call completes it.
    func eraseEvents(of device: DeviceID, forms: Set<String>) async throws(StoreError) {
        let mark = EventFacts.mark(device.rawValue)
        let (own, others) = try await numbers(of: [mark, 0])
        _ = try await deleteEvents(among: own, "device_id = ?", [device.rawValue])
        for form in forms.sorted() {
            _ = try await deleteEvents(among: others, "device_id IS NULL AND instr(body, ?)", [form])
        }
        try await write { db in
            try db.execute(
                sql: "DELETE FROM event_name WHERE list = ? AND name = ?",
                arguments: [EventList.device.rawValue, device.rawValue])
        }
        // Else the next run would have postings of what was deleted.
        let tail = eventTail
        try await writeWithoutTransaction { db in try tail.load(db, filtersIDs: false) }
        try await removePostings(among: Set(own + others))
    }

    /// Deletes events, by the ids that the evaluation gave them, with their postings and messages.
    func eraseEvents(ofCauses causes: [String]) async throws(StoreError) {
        let view = eventTail.view(ofIDs: causes)
        let marks = Set(causes.map { EventFacts.mark($0) })
        let numbers = try await read { db in
            try EventSearch(db, view).numbers(.identity, of: marks) + view.numbers
        }
        _ = try await deleteEvents(
            among: numbers, "coalesce(cause, id) IN (SELECT value FROM json_each(?))", [JSONColumn.encode(causes)])
        let tail = eventTail
        try await writeWithoutTransaction { db in try tail.load(db, filtersIDs: false) }
        try await removePostings(among: Set(numbers))
    }

    /// The numbers of the events of two devices, those in no run included.
    private func numbers(of marks: [Int64]) async throws(StoreError) -> (own: [Int64], others: [Int64]) {
        let views = marks.map { mark in eventTail.view { $0.device == mark } }
        return try await read { db in
            let found = try zip(marks, views).map { mark, view in
                try EventSearch(db, view).numbers(.device, of: [mark]) + view.numbers
            }
            return (found[0], found[1])
        }
    }

    /// Removes the postings of those of the events that are not stored any more.
    private func removePostings(among numbers: Set<Int64>) async throws(StoreError) {
        let runs = try await read { db in try EventRun.all(db) }
        for run in runs where numbers.contains(where: { $0 >= run.firstNumber && $0 <= run.lastNumber }) {
            for list in EventList.allCases {
                try await removePostings(among: numbers, of: run, list)
            }
        }
    }

    private func removePostings(
        among numbers: Set<Int64>, of run: EventRun, _ list: EventList
    ) async throws(StoreError) {
        let changed = try await read { db in
            let own = numbers.filter { $0 >= run.firstNumber && $0 <= run.lastNumber }
            let gone = try own.filter { number in
                try Int.fetchOne(
                    db.cachedStatement(sql: "SELECT 1 FROM event WHERE number = ?"), arguments: [number]) == nil
            }
            var changed: [(id: Int64, pages: [EventListPage])] = []
            try EventPages(db: db, run: run.id, list: list).forEach { id, page in
                let rest = page.postings.filter { !gone.contains($0.number) }
                if rest.count < page.postings.count { changed.append((id, EventListPage.pages(of: rest))) }
            }
            return changed
        }
        var rest = changed[...]
        while !rest.isEmpty {
            let part = rest.prefix(limits.eventPages)
            rest = rest.dropFirst(part.count)
            try await write { db in
                for page in part {
                    try db.cachedStatement(sql: "DELETE FROM event_page WHERE id = ?").execute(arguments: [page.id])
                    try EventPages.insert(page.pages, run: run.id, list: list, db)
                }
            }
        }
    }
}
