/// The sorted lists by which events are found; each has the postings of some of them, by a key and a time.
enum EventList: Int64, CaseIterable, Sendable {
    /// By the id, and by the id that the evaluation gave where that is another; without times.
    case identity = 1
    /// By device and time; events of the service have the key 0.
    case device
    /// By device and the time that settled the event.
    case detection
    /// By region and time.
    case region
    /// By type and time.
    case type
    /// By visit and time.
    case visit
}

/// An entry of a list: the number of an event behind its key and time, in this order.
struct EventPosting: Hashable, Comparable, Sendable {
    var key: Int64
    var time: Int64
    var number: Int64

    static func < (a: Self, b: Self) -> Bool {
        (a.key, a.time, a.number) < (b.key, b.time, b.number)
    }
}

/// What the lists say of an event. Texts are marks, so a search compares the texts of the rows that it finds.
struct EventFacts: Hashable, Sendable {
    var number: Int64
    var timestamp: Int64
    var receivedAt: Int64
    /// `nil` for events of the service.
    var detectedAt: Int64?
    var id: Int64
    /// Of the id that the evaluation gave it.
    var cause: Int64
    var device: Int64
    var region: Int64
    var type: Int64
    var visit: Int64

    /// The facts of a row. More than five parameters, because each is a column.
    init(
        number: Int64, id: String, cause: String?, type: String, device: String?, region: String?, timestamp: Int64,
        receivedAt: Int64, detectedAt: Int64?, visit: String?
    ) {
        (self.number, self.timestamp, self.receivedAt, self.detectedAt) = (number, timestamp, receivedAt, detectedAt)
        self.id = Self.mark(id)
        self.cause = cause.map { Self.mark($0) } ?? self.id
        self.type = Self.mark(type)
        (self.device, self.region, self.visit) = (Self.mark(device), Self.mark(region), Self.mark(visit))
    }

    /// The key of a text: 48 bits of its hash, the same in every run; 0 for none.
    ///
    /// Source: Fowler, Noll and Vo, with the multiplication of Fibonacci hashing, whose high bits depend on all others.
    static func mark(_ text: String?) -> Int64 {
        guard let text else { return 0 }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
        return max(1, Int64(hash >> 16))
    }

    /// Adds the postings of the event in a list.
    func add(to list: EventList, _ postings: inout [EventPosting]) {
        func add(_ key: Int64, _ time: Int64) {
            postings.append(EventPosting(key: key, time: time, number: number))
        }
        switch list {
        case .identity:
            add(id, 0)
            if cause != id { add(cause, 0) }
        case .device: add(device, timestamp)
        case .detection: if device != 0, let detectedAt { add(device, detectedAt) }
        case .region: if region != 0 { add(region, timestamp) }
        case .type: add(type, timestamp)
        case .visit: if visit != 0 { add(visit, timestamp) }
        }
    }

    /// The sorted postings of events in a list.
    static func postings(of facts: [EventFacts], in list: EventList) -> [EventPosting] {
        var postings: [EventPosting] = []
        postings.reserveCapacity(facts.count)
        for event in facts { event.add(to: list, &postings) }
        postings.sort()
        return postings
    }
}
