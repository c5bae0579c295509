import FencepostModel
import FencepostService

/// Decides when an endpoint gets its messages from memory, before they have rows, and knows those that have none yet.
///
/// Under load a row that is written, read and changed for each message takes as long as all else that the service does for it. So an
/// endpoint with many messages a second gets them from memory, and a row is written once, with the outcome. A pure state machine;
/// the runner owns it.
package struct DirectRoute: Sendable {
    /// Limits of the route.
    package struct Settings: Hashable, Sendable {
        /// Messages a second from which an endpoint gets them from memory.
        package var rate = 500
        /// How long a message may be without a row: the API shows it from then on.
        package var maximumWait = Duration.seconds(1)
        /// How long the route stays open without a message, and how long it stays closed after it was closed for another reason.
        package var idleTime = Duration.seconds(60)
        var pause = Duration.seconds(5)
    }

    private enum Phase: Hashable {
        /// All messages have rows from the beginning.
        case closed
        /// The position is to be written, which waits for a commit, or is being written; then the route is open.
        case opening(isWriting: Bool)
        /// Messages may come without rows. The last one came at this time.
        case open(last: Timestamp)
        /// No more messages come without rows, but for those of commits that were under way then.
        case closing(since: Timestamp)
        /// All messages have rows, which is being written.
        case releasing
    }

    private struct Entry {
        var message: DirectMessage
        var since: Timestamp
        /// Whether its row is being written.
        var isLeaving: Bool
        /// Whether it waits for its attempt.
        var isWaiting: Bool
    }

    private let settings: Settings
    private let mayOpen: Bool
    private var phase = Phase.closed
    private var entries: [String: Entry] = [:]
    /// The ids in the order in which they came, which is that of their events; some may have left.
    private var order: ArraySlice<String> = []
    /// Messages of the current second.
    private var demand = (since: Timestamp.distantPast, count: 0)
    private var closedUntil = Timestamp.distantPast
    /// The position that was written last.
    private var written: Int64?
    private var isStopping = false

    /// A closed route; with `nil` it stays so.
    init(_ settings: Settings?) {
        self.settings = settings ?? Settings()
        mayOpen = settings != nil
    }

    /// The number of messages whose rows are not being written, and perhaps some more.
    var count: Int { order.count }

    /// Whether there is something to look after.
    var isClosed: Bool { phase == .closed }

    /// The number of messages without rows that wait for their attempt.
    private(set) var waitingCount = 0

    /// Whether messages are taken.
    var takesMessages: Bool { !isStopping }

    // MARK: Messages

    /// Notes messages that were read, which have rows.
    mutating func noteRead(_ count: Int, at now: Timestamp) {
        if now - demand.since > .seconds(1) || now < demand.since { demand = (now, 0) }
        demand.count += count
    }

    /// Adds a message that waits for its attempt; with `isLeaving` its row is being written instead.
    mutating func add(_ message: DirectMessage, at now: Timestamp, isLeaving: Bool) {
        entries[message.delivery.id] = Entry(
            message: message, since: now, isLeaving: isLeaving, isWaiting: !isLeaving)
        if !isLeaving {
            order.append(message.delivery.id)
            waitingCount += 1
        }
        if case .open = phase { phase = .open(last: now) }
    }

    /// A message whose row is about to be written; `nil` where it has one.
    mutating func leave(_ id: String) -> DirectMessage? {
        entries[id]?.isLeaving = true
        return entries[id]?.message
    }

    /// A message whose row has to be written and is not being written; `nil` for others.
    mutating func messageToStore(_ id: String) -> DirectMessage? {
        guard let entry = entries[id], !entry.isLeaving else { return nil }
        return leave(id)
    }

    /// A message waits no longer.
    mutating func noteTaken(_ id: String) {
        guard entries[id]?.isWaiting == true else { return }
        entries[id]?.isWaiting = false
        waitingCount -= 1
    }

    /// The row of a message is on disk.
    mutating func remove(_ id: String) {
        noteTaken(id)
        entries[id] = nil
    }

    /// The messages whose rows have to be written now: those that wait for long, or all of them, in the order of their events.
    mutating func messagesToStore(at now: Timestamp, all: Bool = false) -> [DirectMessage] {
        var messages: [DirectMessage] = []
        while let entry = firstStaying(), all || now - entry.since >= settings.maximumWait || now < entry.since {
            if let message = leave(entry.message.delivery.id) { messages.append(message) }
        }
        return messages
    }

    /// The message of the first event whose row is not about to be written.
    private mutating func firstStaying() -> Entry? {
        while let id = order.first {
            if let entry = entries[id], !entry.isLeaving { return entry }
            order.removeFirst()
        }
        return nil
    }

    // MARK: Phases

    /// Whether messages may come without rows from now on; `nil` where that has not changed.
    ///
    /// `suits`: whether the endpoint takes messages now.
    mutating func update(suits: Bool, at now: Timestamp) -> Bool? {
        switch phase {
        case .closed:
            if mayOpen, suits, isInDemand(at: now), now >= closedUntil, !isStopping {
                phase = .opening(isWriting: false)
            }
            return nil
        case .opening(isWriting: false):
            // No commit has come as long as there were many messages.
            if !isInDemand(at: now) { phase = .closed }
            return nil
        case .opening(isWriting: true), .releasing: return nil
        case .open(let last):
            guard !suits || isStopping || now - last >= settings.idleTime || now < last else { return nil }
            if !suits { closedUntil = now + settings.pause }
            phase = .closing(since: now)
            return false
        case .closing(let since):
            if suits, !isStopping, now >= closedUntil, now - since < settings.idleTime, isInDemand(at: now) {
                phase = .open(last: now)
                return true
            }
            // Commits that were under way when the route was closed have ended.
            if entries.isEmpty, now - since >= settings.idleTime || now < since { phase = .releasing }
            return nil
        }
    }

    private func isInDemand(at now: Timestamp) -> Bool {
        demand.count >= settings.rate && now - demand.since <= .seconds(2)
    }

    /// Closes the route and keeps it closed: the service stops.
    mutating func stop() {
        isStopping = true
        if phase != .closed { phase = .releasing }
    }

    /// What is to be written about the endpoint with all rows that are about to be written; `nil` for nothing.
    ///
    /// `through`: the number of the newest event whose messages have come; 0 before the first commit.
    mutating func position(through: Int64) -> Position? {
        switch phase {
        case .closed: return nil
        // Before the first commit the newest event is not known; with 0, a start would make messages of all events.
        case .opening:
            guard through > 0 else { return nil }
            phase = .opening(isWriting: true)
            return .through(through)
        case .open, .closing:
            let position = firstStaying().map { $0.message.event - 1 } ?? through
            return position == written ? nil : .through(position)
        case .releasing: return .all
        }
    }

    /// A position was written.
    ///
    /// - Returns: whether messages may come without rows from now on; `nil` where that has not changed.
    mutating func noteWritten(_ position: Position) -> Bool? {
        switch (phase, position) {
        case (.opening, .through(let number)):
            written = number
            phase = .open(last: demand.since)
            return true
        case (.releasing, .all):
            written = nil
            if entries.isEmpty || isStopping { phase = .closed }
            return nil
        case (_, .through(let number)): written = number
        case (_, .all): written = nil
        }
        return nil
    }

    /// What is written about the messages of an endpoint.
    enum Position: Hashable, Sendable {
        /// All messages about events up to this number have rows.
        case through(Int64)
        /// All messages have rows.
        case all
    }
}

extension Endpoint {
    /// Whether its messages may be sent before they have rows: they need no order, and nothing that was sent decides about them.
    var mayGetDirectMessages: Bool {
        kind == .webhook && !isOrdered && cooldown == nil && quietHours == nil
    }
}
