import FencepostModel
import FencepostService
import GRDB
import Synchronization

/// What searches need of the newest events, which are in no run yet, and a filter of the ids of all events.
///
/// A commit writes its events at the end of their table and into no list, because nearly each of an event's postings would
/// change another page. Maintenance makes a run of many events at once. Until then they are found by the facts that are
/// here, about 90 bytes an event; the numbers of all of them are greater than those of the runs.
///
/// A search asks for a `View` before it takes its snapshot of the database. What gets into a run in between is found by the
/// view; what is committed in between is later than the search.
final class EventTail: Sendable {
    /// An event that may match.
    struct Hit: Sendable {
        var time: Int64
        var number: Int64
    }

    /// What a search knows of the events that are in no run.
    struct View: Sendable {
        /// Events after this number are in no run, or only for a short time.
        var through: Int64
        /// Those that may match, in the order of the search.
        var hits: [Hit] = []
        /// The types of all events, and perhaps some more.
        var types: Set<String> = []

        var numbers: [Int64] { hits.map(\.number) }
    }

    /// What names the keys of a list.
    struct Name: Hashable, Sendable {
        var list: EventList
        var text: String
    }

    private struct State {
        var through: Int64 = 0
        /// By number, from `first` on.
        var entries: [EventFacts] = []
        var first = 0
        /// Those of the transaction that is being written.
        var staged: [EventFacts] = []
        /// Whether it may differ from the database.
        var isStale = false

        /// The types of all events.
        var types: Set<String> = []
        /// The marks of the devices of all events.
        var devices: Set<Int64> = [0]
        /// Those of them that the database does not have yet.
        var newNames: Set<Name> = []
        /// `nil` in a store that only reads.
        var ids: IDFilter?

        mutating func add(_ facts: EventFacts, type: String, device: String?) {
            ids?.insert(facts.id)
            if facts.cause != facts.id { ids?.insert(facts.cause) }
            if !types.contains(type) {
                types.insert(type)
                newNames.insert(Name(list: .type, text: type))
            }
            if let device, devices.insert(facts.device).inserted {
                newNames.insert(Name(list: .device, text: device))
            }
        }

        func all(_ matches: (EventFacts) -> Bool) -> [Hit] {
            var found: [Hit] = []
            for entry in entries[first...] where matches(entry) {
                found.append(Hit(time: entry.timestamp, number: entry.number))
            }
            for entry in staged where matches(entry) {
                found.append(Hit(time: entry.timestamp, number: entry.number))
            }
            return found
        }
    }

    private let state = Mutex(State())

    // MARK: Searches

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
    func view(byTime: HistoryOrder? = nil, limit: Int = .max, where matches: (EventFacts) -> Bool) -> View {
        func sort(_ hits: inout [Hit]) {
            switch byTime {
            case .ascending: hits.sort { ($0.time, $0.number) < ($1.time, $1.number) }
            case .descending: hits.sort { ($0.time, $0.number) > ($1.time, $1.number) }
            case nil: break
            }
        }
        return state.withLock { state in
            var found: [Hit] = []
            for entry in state.entries[state.first...] where matches(entry) {
                found.append(Hit(time: entry.timestamp, number: entry.number))
                if byTime == nil, found.count >= limit { break }
            }
            sort(&found)
            found.removeLast(max(0, found.count - limit))
            let staged = state.staged.filter(matches).map { Hit(time: $0.timestamp, number: $0.number) }
            if !staged.isEmpty {
                found += staged
                sort(&found)
            }
            return View(through: state.through, hits: found, types: state.types)
        }
    }

    /// The events of these ids, or of the ids that the evaluation gave them. For the writing connection, staged ones too.
    func view(ofIDs ids: some Sequence<String>) -> View {
        let marks = Set(ids.map { EventFacts.mark($0) })
        // A commit asks for one id after the other.
        if marks.count == 1, let mark = marks.first { return stagedView { $0.id == mark || $0.cause == mark } }
        return stagedView { marks.contains($0.id) || marks.contains($0.cause) }
    }

    /// The events that may match, for the writing connection: staged ones too.
    func stagedView(where matches: (EventFacts) -> Bool) -> View {
        state.withLock { state in View(through: state.through, hits: state.all(matches), types: state.types) }
    }

    /// Whether an event with this id may be stored, staged ones included; rarely for one that is not.
    func mayContain(id: String) -> Bool {
        let mark = EventFacts.mark(id)
        return state.withLock { $0.ids?.mayContain(mark) ?? true }
    }

    /// The number of events that are in no run.
    var backlog: Int { state.withLock { $0.entries.count - $0.first } }

    // MARK: Changes, on the writing connection

    /// Notes an event that the current transaction inserts.
    func stage(_ facts: EventFacts, type: String, device: String?) {
        state.withLock { state in
            state.staged.append(facts)
            state.add(facts, type: type, device: device)
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
        if state.withLock({ $0.isStale }) { try load(db, filtersIDs: false) }
    }

    /// The next events for a run, at most so many, and names that the database does not have yet.
    func next(_ count: Int) -> (facts: [EventFacts], names: Set<Name>) {
        state.withLock { state in (Array(state.entries[state.first...].prefix(count)), state.newNames) }
    }

    /// Notes that the events up to a number are in a run, and which names the database has.
    func didWrite(through number: Int64, _ names: Set<Name>) {
        state.withLock { state in
            state.through = max(state.through, number)
            state.newNames.subtract(names)
            while state.first < state.entries.count, state.entries[state.first].number <= number { state.first += 1 }
            if state.first > 4096 || state.first == state.entries.count {
                state.entries.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// Loads what is in no run.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - filtersIDs: whether to make a new filter of ids, with those of the runs.
    /// - Throws: when the database cannot be read.
    func load(_ db: Database, filtersIDs: Bool) throws {
        var loaded = State()
        loaded.through = try EventRun.lastNumber(db)
        if filtersIDs {
            var ids = IDFilter()
            for run in try EventRun.all(db) {
                try EventPages(db: db, run: run.id, list: .identity).forEach { _, page in
                    for posting in page.postings { ids.insert(posting.key) }
                }
            }
            loaded.ids = ids
        } else {
            // What it has more than the database does no harm.
            loaded.ids = state.withLock { $0.ids }
        }
        for row in try Row.fetchAll(db, sql: "SELECT list, name FROM event_name") {
            let (list, name): (Int64, String) = try (row[0], row[1])
            if list == EventList.type.rawValue {
                loaded.types.insert(name)
            } else {
                loaded.devices.insert(EventFacts.mark(name))
            }
        }
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(EventRows.factColumns) FROM event WHERE number > ? ORDER BY number",
            arguments: [loaded.through])
        while let row = try rows.next() {
            let facts = try EventRows.facts(row)
            loaded.entries.append(facts)
            try loaded.add(facts, type: row[2], device: row[3])
        }
        state.withLock { [loaded] in $0 = loaded }
    }
}
