import FencepostModel
import Synchronization

/// Single-use tickets for the event stream: a browser's `EventSource` cannot send a token in a header (rule A9).
final class StreamTickets: Sendable {
    static let lifetime = Duration.seconds(60)
    private static let capacity = 10_000

    private let tickets = Mutex<[String: (caller: Caller, expires: Timestamp)]>([:])

    /// Issues a ticket that is valid once, for `lifetime`.
    func issue(
        _ caller: Caller, now: Timestamp, using generator: inout any RandomNumberGenerator & Sendable
    ) -> (ticket: String, expires: Timestamp) {
        let ticket = "fpt_" + (0..<4).map { _ in String(generator.next(), radix: 36) }.joined()
        let expires = now + StreamTickets.lifetime
        tickets.withLock { tickets in
            if tickets.count >= StreamTickets.capacity { tickets = tickets.filter { $0.value.expires > now } }
            if tickets.count < StreamTickets.capacity { tickets[ticket] = (caller, expires) }
        }
        return (ticket, expires)
    }

    /// Uses a ticket up.
    ///
    /// - Returns: the caller that it was issued to; `nil` when the ticket is unknown, used or expired.
    func redeem(_ ticket: String, now: Timestamp) -> Caller? {
        let found = tickets.withLock { $0.removeValue(forKey: ticket) }
        return found.flatMap { $0.expires > now ? $0.caller : nil }
    }
}
