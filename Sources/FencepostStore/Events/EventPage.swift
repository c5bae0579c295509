import FencepostService
import GRDB

/// Collects the events of a list, at most so many, from the numbers that a search has found.
struct EventPage {
    let db: Database
    let conditions: Conditions
    /// The order of the numbers that are added.
    var order = "number"
    let limit: Int
    private(set) var events: [StoredEvent] = []

    /// Numbers of which the rows are read at a time.
    private static let most = 1000

    init(db: Database, conditions: Conditions, order: String = "number", limit: Int) {
        (self.db, self.conditions, self.order, self.limit) = (db, conditions, order, limit)
    }

    var isFull: Bool { events.count >= limit }

    /// Adds the events of numbers in the order of the list, as far as they match.
    mutating func add(_ numbers: [Int64]) throws {
        var rest = numbers[...]
        while !isFull, !rest.isEmpty {
            let part = Array(rest.prefix(Self.most))
            rest = rest.dropFirst(part.count)
            var some = conditions
            some.add("number IN (SELECT value FROM json_each(?))", part.json)
            events += try SQLiteStore.events(db, some, order: order, limit: limit - events.count)
        }
    }

    /// Adds the events of a span of numbers, as far as they match.
    mutating func add(_ span: ClosedRange<Int64>) throws {
        guard !isFull else { return }
        var some = conditions
        some.add("number >= ? AND number <= ?", span.lowerBound, span.upperBound)
        events += try SQLiteStore.events(db, some, limit: limit - events.count)
    }

    /// Adds events by time until there are enough of them, or one is beyond the times of the list.
    mutating func fill(from all: inout EventsByTime, through isInTime: (Int64) -> Bool) throws {
        // Mostly nearly all match.
        var most = min(Self.most, limit + 16)
        while !isFull {
            var numbers: [Int64] = []
            while numbers.count < most, let hit = try all.next(), isInTime(hit.time) { numbers.append(hit.number) }
            guard !numbers.isEmpty else { return }
            try add(numbers)
            most = Self.most
        }
    }
}
