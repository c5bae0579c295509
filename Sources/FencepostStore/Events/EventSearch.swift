import FencepostModel
import FencepostService
import GRDB

/// Finds the numbers of events in all runs, along the list that has the fewest postings for a filter.
///
/// It knows marks in place of texts, and nothing of most columns: the rows of the numbers decide.
struct EventSearch {
    private let db: Database
    private let view: EventTail.View
    /// By their numbers.
    private let runs: [EventRun]

    /// A list, and the keys in it that may match.
    struct Keys {
        var list: EventList
        var marks: Set<Int64>
    }

    /// The most keys that are looked up. With more, one goes along the types, of which there are some dozens.
    private static let mostKeys = 500
    /// The most postings that are counted to find out which list has fewer.
    private static let mostCounted = 2000
    /// A search by number reads the rows of a run in which it would find more than this part of them.
    private static let dense = 8

    /// A search in a snapshot of the database.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - view: what is known of the events that are in no run, asked for before the snapshot.
    /// - Throws: when the database cannot be read.
    init(_ db: Database, _ view: EventTail.View) throws {
        (self.db, self.view) = (db, view)
        runs = try EventRun.all(db)
    }

    private func pages(_ run: EventRun, _ list: EventList) -> EventPages {
        EventPages(db: db, run: run.id, list: list)
    }

    // MARK: All events of a few keys

    /// The numbers of all events in the runs that have one of the marks, in no order.
    func numbers(
        _ list: EventList, of marks: Set<Int64>, from: Int64 = .min, before end: Int64 = .max
    ) throws -> [Int64] {
        var numbers: [Int64] = []
        for run in runs {
            for mark in marks.sorted() {
                var cursor = try EventCursor(pages(run, list), key: mark, from: (from, .min))
                while let posting = try cursor.next(), posting.time < end {
                    if posting.number <= view.through { numbers.append(posting.number) }
                }
            }
        }
        return numbers
    }

    /// Calls the body with the numbers of all events that have a mark, in the runs or not, the greater numbers first, until it
    /// returns true.
    func newest(_ list: EventList, of mark: Int64, _ body: ([Int64]) throws -> Bool) throws {
        if !view.hits.isEmpty, try body(view.numbers.sorted(by: >)) { return }
        for run in runs.reversed() {
            var numbers: [Int64] = []
            var cursor = try EventCursor(pages(run, list), key: mark)
            while let posting = try cursor.next() {
                if posting.number <= view.through { numbers.append(posting.number) }
            }
            if !numbers.isEmpty, try body(numbers.sorted(by: >)) { return }
        }
    }

    // MARK: The list for a filter

    /// The list for a filter with the fewest events in the newest run; that of the types for a filter that has no other.
    ///
    /// `types`: the types of the filter; `nil` for all.
    func keys(_ filter: HistoryFilter, types: [String]?) throws -> Keys {
        var choices: [Keys] = []
        func add(_ list: EventList, _ texts: [String]) {
            guard texts.count <= Self.mostKeys else { return }
            choices.append(Keys(list: list, marks: Set(texts.map { EventFacts.mark($0) })))
        }
        if let device = filter.deviceID { add(.device, [device.rawValue]) }
        if let region = filter.regionID { add(.region, [region.rawValue]) }
        if let regions = filter.regionIDs { add(.region, regions.map(\.rawValue)) }
        if let types { add(.type, types) }
        if filter.deviceID == nil, let devices = try matchingDevices(filter) { add(.device, devices) }
        let all = Keys(list: .type, marks: Set(view.types.map { EventFacts.mark($0) }))
        guard choices.count > 1, let newest = runs.max(by: { $0.count < $1.count }) else { return choices.first ?? all }
        let counted = try choices.map { (keys: $0, count: try count($0, in: newest)) }
        return counted.min { $0.count < $1.count }?.keys ?? all
    }

    /// The postings of a run, as far as they are counted.
    private func count(_ keys: Keys, in run: EventRun) throws -> Int {
        var count = 0
        for mark in keys.marks {
            var cursor = try EventCursor(pages(run, keys.list), key: mark)
            while count < Self.mostCounted, try cursor.next() != nil { count += 1 }
        }
        return count
    }

    /// The devices with events that the patterns match; `nil` without patterns, or with too many devices.
    private func matchingDevices(_ filter: HistoryFilter) throws -> [String]? {
        let lists = filter.chosen + (filter.devices.map { [$0] } ?? [])
        guard !lists.isEmpty else { return nil }
        let all = try String.fetchAll(
            db.cachedStatement(sql: "SELECT name FROM event_name WHERE list = ? LIMIT 20001"),
            arguments: [EventList.device.rawValue])
        guard all.count <= 20_000 else { return nil }
        return all.filter { id in lists.allSatisfy { list in list.contains { $0.matches(id) } } }
    }

    // MARK: By number

    /// What to read next for a list by number.
    enum Part {
        /// The rows of the numbers.
        case numbers([Int64])
        /// All rows of the span.
        case rows(ClosedRange<Int64>)
    }

    /// Calls the body with parts of the runs by number, until it returns true.
    ///
    /// `keys`: the list for the filter; `nil` to read all rows.
    func byNumber(
        _ filter: HistoryFilter, _ keys: Keys?, after cursor: Int64, _ body: (Part) throws -> Bool
    ) throws {
        let (from, end) = (filter.from?.milliseconds ?? .min, filter.to?.milliseconds ?? .max)
        for run in runs where run.lastNumber > cursor && run.firstNumber <= view.through {
            guard run.lastTime >= from, run.firstTime < end else { continue }
            let span = max(cursor + 1, run.firstNumber)...min(run.lastNumber, view.through)
            let part: Part
            if let keys, let numbers = try sparse(keys, in: run, span, from, end) {
                part = .numbers(numbers)
            } else {
                part = .rows(span)
            }
            if try body(part) { return }
        }
    }

    /// The sorted numbers of a run that may match; `nil` where they are so many that the rows are read faster.
    private func sparse(
        _ keys: Keys, in run: EventRun, _ span: ClosedRange<Int64>, _ from: Int64, _ end: Int64
    ) throws -> [Int64]? {
        var numbers: [Int64] = []
        for mark in keys.marks.sorted() {
            var cursor = try EventCursor(pages(run, keys.list), key: mark, from: (from, .min))
            while let posting = try cursor.next(), posting.time < end {
                if span.contains(posting.number) { numbers.append(posting.number) }
                if numbers.count > run.count / Self.dense { return nil }
            }
        }
        return numbers.sorted()
    }

    // MARK: By time

    /// The events of the runs and of the view that have one of the keys, by time, those of the view all.
    ///
    /// - Parameters:
    ///   - keys: the list and its keys.
    ///   - order: the order by time and number; also that of the view.
    ///   - start: the first one that may be passed, in the order; `nil` for all.
    /// - Returns: a sequence that reads as it goes.
    func byTime(_ keys: Keys, order: HistoryOrder, from start: (time: Int64, number: Int64)?) -> EventsByTime {
        EventsByTime(
            runs: runs, pages: { [db] run in EventPages(db: db, run: run, list: keys.list) }, marks: keys.marks,
            order: order, start: start, view: view)
    }
}

/// Events by time, merged of the lists of runs and of those that are in no run. A run is not opened before its time.
struct EventsByTime {
    private let pages: (Int64) -> EventPages
    private let marks: [Int64]
    private let order: HistoryOrder
    private let start: (time: Int64, number: Int64)?
    private let through: Int64
    /// Not opened yet, by their first time in the order.
    private var runs: ArraySlice<EventRun>
    private var cursors: [(cursor: EventCursor, head: EventPosting)] = []
    private var recent: ArraySlice<EventTail.Hit>

    /// More than five parameters, because each is independent.
    fileprivate init(
        runs: [EventRun], pages: @escaping (Int64) -> EventPages, marks: Set<Int64>, order: HistoryOrder,
        start: (time: Int64, number: Int64)?, view: EventTail.View
    ) {
        (self.pages, self.order, self.start, through) = (pages, order, start, view.through)
        self.marks = marks.sorted()
        recent = view.hits[...]
        let time = start?.time
        switch order {
        case .ascending:
            self.runs = runs.filter { $0.lastTime >= time ?? .min }.sorted { $0.firstTime < $1.firstTime }[...]
        case .descending:
            self.runs = runs.filter { $0.firstTime <= time ?? .max }.sorted { $0.lastTime > $1.lastTime }[...]
        }
    }

    private func isBefore(_ a: (Int64, Int64), _ b: (Int64, Int64)) -> Bool { order == .ascending ? a < b : a > b }

    /// The next event; `nil` at the end.
    mutating func next() throws -> EventTail.Hit? {
        var first = try nextOfRuns()
        while let index = first, cursors[index].head.number > through {
            try advance(index)
            first = try nextOfRuns()
        }
        let head = first.map { (cursors[$0].head.time, cursors[$0].head.number) }
        if let hit = recent.first, head.map({ isBefore((hit.time, hit.number), $0) }) ?? true {
            recent.removeFirst()
            return hit
        }
        guard let first, let head else { return nil }
        try advance(first)
        return EventTail.Hit(time: head.0, number: head.1)
    }

    /// The cursor with the next event.
    private mutating func nextOfRuns() throws -> Int? {
        while true {
            let index = cursors.indices.min {
                isBefore(
                    (cursors[$0].head.time, cursors[$0].head.number), (cursors[$1].head.time, cursors[$1].head.number))
            }
            guard let run = runs.first else { return index }
            let opens =
                switch order {
                case .ascending: index.map { run.firstTime <= cursors[$0].head.time } ?? true
                case .descending: index.map { run.lastTime >= cursors[$0].head.time } ?? true
                }
            guard opens else { return index }
            runs.removeFirst()
            for mark in marks {
                var cursor = try EventCursor(pages(run.id), key: mark, order: order, from: start)
                if let head = try cursor.next() { cursors.append((cursor, head)) }
            }
        }
    }

    private mutating func advance(_ index: Int) throws {
        if let head = try cursors[index].cursor.next() {
            cursors[index].head = head
        } else {
            cursors.remove(at: index)
        }
    }
}
