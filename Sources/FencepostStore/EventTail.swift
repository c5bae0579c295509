import FencepostModel
import FencepostService
import GRDB
import Synchronization

/// What queries need to find the newest events, which the indexes do not have yet.
///
/// A commit writes its events at the end of their table and into no index, because nearly each of an event's entries would
/// change another page. Maintenance adds many events to the indexes at once. Until then they are found by the numbers that
/// this directory has for them; all of them are greater than those of the other events. It takes about 90 bytes an event.
///
/// A query asks for a `View` before it takes its snapshot of the database. What becomes indexed in between is found by the
/// numbers of the view; what is committed in between is later than the query.
final class EventTail: Sendable {
    /// An event that is not in the indexes. Hashes may be equal for different texts, so a query compares the texts too.
    struct Entry: Sendable {
        var number: Int64
        var timestamp: Int64
        var receivedAt: Int64
        var id: Int
        /// Of the id that the evaluation gave it.
        var cause: Int
        var device: Int32
        var region: Int32

        /// More than five parameters, because each is a column.
        init(
            number: Int64, id: String, cause: String?, device: String?, region: String?, timestamp: Int64,
            receivedAt: Int64
        ) {
            (self.number, self.timestamp, self.receivedAt) = (number, timestamp, receivedAt)
            self.id = id.hashValue
            self.cause = cause?.hashValue ?? self.id
            self.device = EventTail.mark(device)
            self.region = EventTail.mark(region)
        }
    }

    /// What a query knows of the events that are not in the indexes.
    struct View: Sendable {
        /// Events after this number are not in the indexes, or only for a short time.
        var through: Int64
        /// Those that may match, in the order of the query.
        var numbers: [Int64] = []
        /// Types of events that are not in the indexes, and perhaps some more.
        var types: Set<String> = []
    }

    private struct State {
        var through: Int64 = 0
        /// By number, from `first` on.
        var entries: [Entry] = []
        var first = 0
        /// Those of the transaction that is being written.
        var staged: [Entry] = []
        /// The number for each hash of an id, of staged events too.
        var numbers: [Int: Int64] = [:]
        /// Whether two ids had the same hash, so that `numbers` lacks one.
        var isAmbiguous = false
        var types: Set<String> = []
        /// Whether it may differ from the database.
        var isStale = false

        mutating func add(_ entry: Entry, type: String) {
            if numbers.updateValue(entry.number, forKey: entry.id) != nil { isAmbiguous = true }
            if !types.contains(type) { types.insert(type) }
        }

        func all(_ matches: (Entry) -> Bool) -> [Int64] {
            entries[first...].filter(matches).map(\.number) + staged.filter(matches).map(\.number)
        }
    }

    private let state = Mutex(State())

    /// The part of a text by which entries are chosen.
    static func mark(_ text: String?) -> Int32 { Int32(truncatingIfNeeded: text?.hashValue ?? 0) }

    // MARK: Queries

    /// The events that may match.
    ///
    /// Those of the transaction that is being written are among them: a reader sees it as soon as the database has it, and
    /// the end of an evaluation is never seen without its events. Where it is not committed yet, their rows are not found.
    ///
    /// - Parameters:
    ///   - byTime: the order of their timestamps and numbers; `nil` for that of the numbers alone.
    ///   - limit: the largest number of committed events, which are the first ones.
    ///   - matches: whether an event may match.
    /// - Returns: the events as of now.
    func view(byTime: HistoryOrder? = nil, limit: Int = .max, where matches: (Entry) -> Bool) -> View {
        func sort(_ entries: inout [Entry]) {
            switch byTime {
            case .ascending: entries.sort { ($0.timestamp, $0.number) < ($1.timestamp, $1.number) }
            case .descending: entries.sort { ($0.timestamp, $0.number) > ($1.timestamp, $1.number) }
            case nil: break
            }
        }
        return state.withLock { state in
            var found: [Entry] = []
            for entry in state.entries[state.first...] where matches(entry) {
                found.append(entry)
                if byTime == nil, found.count >= limit { break }
            }
            sort(&found)
            found.removeLast(max(0, found.count - limit))
            let staged = state.staged.filter(matches)
            if !staged.isEmpty {
                found += staged
                sort(&found)
            }
            return View(through: state.through, numbers: found.map(\.number), types: state.types)
        }
    }

    /// The event of an id, if it is one of these. For the writing connection, staged events count too.
    func view(ofID id: String) -> View {
        let hash = id.hashValue
        return state.withLock { state in
            if state.isAmbiguous { return View(through: state.through, numbers: state.all { $0.id == hash }) }
            return View(through: state.through, numbers: state.numbers[hash].map { [$0] } ?? [])
        }
    }

    /// The events of these ids, or of the ids that the evaluation gave them. For the writing connection, staged ones too.
    func view(ofCauses causes: some Sequence<String>) -> View {
        let hashes = Set(causes.map(\.hashValue))
        return state.withLock { state in
            View(
                through: state.through,
                numbers: state.all { hashes.contains($0.id) || hashes.contains($0.cause) })
        }
    }

    /// The events that may match, for the writing connection: staged ones too.
    func stagedView(where matches: (Entry) -> Bool) -> View {
        state.withLock { state in View(through: state.through, numbers: state.all(matches)) }
    }

    /// The number of events, and the arrival of the first.
    var backlog: (events: Int, oldest: Timestamp?) {
        state.withLock { state in
            (
                state.entries.count - state.first,
                state.entries.dropFirst(state.first).first.map { Timestamp(milliseconds: $0.receivedAt) }
            )
        }
    }

    // MARK: Changes, on the writing connection

    /// Notes an event that the current transaction inserts.
    func stage(_ entry: Entry, type: String) {
        state.withLock { state in
            state.staged.append(entry)
            state.add(entry, type: type)
        }
    }

    /// Notes that the transaction is committed.
    func publish() {
        state.withLock { state in
            guard !state.staged.isEmpty else { return }
            state.entries += state.staged
            state.staged.removeAll(keepingCapacity: true)
        }
    }

    /// Notes that a transaction failed. It may have been committed nevertheless, so the database says what is there.
    func fail(_ db: Database) {
        state.withLock { $0.isStale = true }
        try? refresh(db)
    }

    /// Loads the events again if a transaction failed.
    func refresh(_ db: Database) throws {
        if state.withLock({ $0.isStale }) { try load(db) }
    }

    /// The first and the last number of the next events to be indexed; `nil` when there are none.
    func slice(of count: Int) -> ClosedRange<Int64>? {
        state.withLock { state in
            let rest = state.entries.count - state.first
            guard rest > 0 else { return nil }
            return state.entries[state.first].number...state.entries[state.first + min(rest, count) - 1].number
        }
    }

    /// Notes that the events up to a number are in the indexes.
    func didIndex(through number: Int64) {
        state.withLock { state in
            state.through = max(state.through, number)
            while state.first < state.entries.count, state.entries[state.first].number <= number {
                let entry = state.entries[state.first]
                if state.numbers[entry.id] == entry.number { state.numbers[entry.id] = nil }
                state.first += 1
            }
            if state.first == state.entries.count, state.staged.isEmpty {
                let through = state.through
                state = State()
                state.through = through
            } else if state.first > 4096, state.first * 2 > state.entries.count {
                state.entries.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// Loads the events that are not in the indexes.
    func load(_ db: Database) throws {
        var loaded = State()
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT number, is_indexed, id, cause, device_id, region_id, timestamp, received_at, type FROM event
                ORDER BY number DESC
                """)
        while let row = try rows.next() {
            guard try row[1] as Int == 0 else {
                loaded.through = try row[0]
                break
            }
            let entry = try Entry(
                number: row[0], id: row[2], cause: row[3], device: row[4], region: row[5], timestamp: row[6],
                receivedAt: row[7])
            loaded.entries.append(entry)
            try loaded.add(entry, type: row[8])
        }
        loaded.entries.reverse()
        state.withLock { [loaded] in $0 = loaded }
    }
}
