import FencepostModel
import FencepostService

/// Messages without rows: which are taken, and which get rows before their outcome.
extension EndpointRunner {
    /// Whether the endpoint gets nothing for some time.
    func isPaused(at now: Timestamp) -> Bool { !breaker.isClosed || backpressure.pausedUntil > now }

    /// Messages in memory above which others get rows.
    private static let directWindow = 2000

    /// Takes the next delivery.
    mutating func nextWaiting() -> PendingDelivery {
        let delivery = waiting.removeFirst()
        direct.noteTaken(delivery.id)
        return delivery
    }

    /// Forgets the deliveries that wait, which are read again; those without rows get them.
    mutating func dropWaiting() -> [Action] {
        let messages = direct.waitingCount == 0 ? [] : waiting.compactMap { direct.messageToStore($0.id) }
        for delivery in waiting { direct.noteTaken(delivery.id) }
        waiting = []
        noteAdded()
        return stored(messages)
    }

    func stored(_ messages: [DirectMessage]) -> [Action] { messages.isEmpty ? [] : [.store(messages)] }

    /// Takes messages that have no rows, as many as fit.
    mutating func take(_ messages: [DirectMessage], now: Timestamp) -> [Action] {
        let mayWait = endpoint.isActive && direct.takesMessages && !isPaused(at: now)
        let room = mayWait ? max(0, Self.directWindow - waiting.count) : 0
        for (index, message) in messages.enumerated() {
            direct.add(message, at: now, isLeaving: index >= room)
            if index < room { waiting.append(message.delivery) }
        }
        return stored(Array(messages.dropFirst(room)))
    }

    /// Opens or closes the route for messages without rows, and writes the rows of those that wait for long.
    mutating func updateDirect(now: Timestamp) -> [Action] {
        let suits =
            endpoint.isActive && endpoint.mayGetDirectMessages && !isPaused(at: now)
            && waiting.count < Self.directWindow
        let change = direct.update(suits: suits, at: now).map { Action.setDirect($0) }
        return (change.map { [$0] } ?? []) + stored(direct.messagesToStore(at: now))
    }

    /// What is to be written about messages without rows.
    mutating func position(through: Int64) -> DirectRoute.Position? { direct.position(through: through) }

    /// The message of a settlement that is about to be written; `nil` where it has a row.
    mutating func leave(_ id: String) -> DirectMessage? { direct.leave(id) }
}
