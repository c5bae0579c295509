import FencepostModel
import Synchronization

/// Short-lived passes for browsers, whose `EventSource` can send no header (rule A9).
final class TicketOffice: Sendable {
    static let lifetime = Duration.seconds(60)
    private static let capacity = 10_000

    private let tickets = Mutex<[String: (caller: Caller, expires: Timestamp)]>([:])

    /// A pass for the caller that is good once, and the time when it expires.
    func issue(
        _ caller: Caller, now: Timestamp, using generator: inout any RandomNumberGenerator & Sendable
    ) -> (ticket: String, expires: Timestamp) {
        let ticket = "fpt_" + (0..<4).map { _ in String(generator.next(), radix: 36) }.joined()
        let expires = now + TicketOffice.lifetime
        tickets.withLock { tickets in
            if tickets.count >= TicketOffice.capacity { tickets = tickets.filter { $0.value.expires > now } }
            if tickets.count < TicketOffice.capacity { tickets[ticket] = (caller, expires) }
        }
        return (ticket, expires)
    }

    /// Who a pass was made out to; `nil` when it is not good.
    func redeem(_ ticket: String, now: Timestamp) -> Caller? {
        let found = tickets.withLock { $0.removeValue(forKey: ticket) }
        return found.flatMap { $0.expires > now ? $0.caller : nil }
    }
}
