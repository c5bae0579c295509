/// The open connections, and which of them to close when there are too many (rule L9).
///
/// A pure state machine: the caller performs the decisions. A connection is idle until the header of a request is
/// complete, and again after the response. Idle connections are closed for new ones, those that are idle longest first,
/// so silent connections shut nobody out. All operations take constant time on average.
struct ConnectionTable {
    typealias ID = UInt64

    enum Admission: Hashable {
        case admitted
        /// All connections are busy: this one may ask for the health of the service only.
        case healthOnly
        case refused
    }

    /// Why a connection is closed or refused, for logs and metrics.
    enum Reason: String, CaseIterable {
        /// Too many connections in all.
        case total
        /// Too many connections of one address.
        case address
        /// The process has no free descriptor.
        case descriptors
    }

    struct Decision: Hashable {
        var admission: Admission
        /// The idle connection to close for the new one.
        var shed: ID?
        /// The limit that was reached.
        var reason: Reason?
    }

    private struct Entry {
        var address: String
        /// When it became idle, on a counter; `nil` while it is busy.
        var idleSince: UInt64?
    }

    /// Idle connections in the order in which they became idle. Entries that are no longer valid are removed later.
    private struct IdleQueue {
        var entries: [(id: ID, since: UInt64)] = []
        var first = 0

        mutating func append(_ id: ID, _ since: UInt64) { entries.append((id, since)) }
    }

    private struct Address {
        var count = 0
        var idle = IdleQueue()
    }

    private let limit, addressLimit, reserve: Int
    private var connections: [ID: Entry] = [:]
    private var addresses: [String: Address] = [:]
    private var idle = IdleQueue()
    private var nextID: ID = 1
    private var counter: UInt64 = 0

    /// - Parameters:
    ///   - limit: connections in all.
    ///   - addressLimit: connections of one address.
    ///   - reserve: connections beyond the limits that are kept for questions about the health.
    init(limit: Int, addressLimit: Int, reserve: Int) {
        self.limit = limit
        self.addressLimit = addressLimit
        self.reserve = reserve
    }

    var count: Int { connections.count }

    /// A new connection, which is idle. It is in the table unless it is refused.
    mutating func open(from address: String) -> (id: ID, decision: Decision) {
        var decision = Decision(admission: .admitted)
        let own = addresses[address]?.count ?? 0
        if own >= addressLimit {
            decision.reason = .address
            decision.shed = oldestIdle(of: address)
            if decision.shed == nil { decision.admission = own < addressLimit + reserve ? .healthOnly : .refused }
        } else if connections.count >= limit {
            decision.reason = .total
            decision.shed = oldestIdle()
        }
        if decision.shed == nil, connections.count >= limit {
            decision.reason = decision.reason ?? .total
            decision.admission =
                decision.admission == .refused || connections.count >= limit + reserve ? .refused : .healthOnly
        }
        let id = nextID
        nextID += 1
        // The shed connection is gone for the table at once; its own `close` is then ignored.
        if let shed = decision.shed { close(shed) }
        guard decision.admission != .refused else { return (id, decision) }
        connections[id] = Entry(address: address)
        addresses[address, default: Address()].count += 1
        setIdle(id)
        return (id, decision)
    }

    /// The header of a request is complete.
    mutating func setBusy(_ id: ID) { connections[id]?.idleSince = nil }

    /// The connection waits for a request.
    mutating func setIdle(_ id: ID) {
        guard let address = connections[id]?.address else { return }
        counter += 1
        connections[id]?.idleSince = counter
        idle.append(id, counter)
        addresses[address]?.idle.append(id, counter)
        if idle.entries.count > 2 * connections.count + 64 {
            let rest = compacted(idle)
            idle = rest
        }
        if let own = addresses[address], own.idle.entries.count > 2 * own.count + 8 {
            let rest = compacted(own.idle)
            addresses[address]?.idle = rest
        }
    }

    mutating func close(_ id: ID) {
        guard let entry = connections.removeValue(forKey: id) else { return }
        addresses[entry.address]?.count -= 1
        if addresses[entry.address]?.count == 0 { addresses[entry.address] = nil }
    }

    /// The connections to close when the process has no free descriptor: those that are idle longest.
    mutating func shed(atMost count: Int) -> [ID] {
        var shed: [ID] = []
        while shed.count < count, let id = oldestIdle() {
            close(id)
            shed.append(id)
        }
        return shed
    }

    private mutating func oldestIdle() -> ID? {
        while idle.first < idle.entries.count {
            let entry = idle.entries[idle.first]
            idle.first += 1
            if connections[entry.id]?.idleSince == entry.since { return entry.id }
        }
        return nil
    }

    private mutating func oldestIdle(of address: String) -> ID? {
        while let own = addresses[address]?.idle, own.first < own.entries.count {
            let entry = own.entries[own.first]
            addresses[address]?.idle.first += 1
            if connections[entry.id]?.idleSince == entry.since { return entry.id }
        }
        return nil
    }

    private func compacted(_ queue: IdleQueue) -> IdleQueue {
        IdleQueue(entries: queue.entries[queue.first...].filter { connections[$0.id]?.idleSince == $0.since })
    }
}
