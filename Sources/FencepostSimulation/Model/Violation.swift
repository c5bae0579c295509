/// A broken promise of the service, with a sentence for people.
package enum Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// Something acknowledged is missing.
    case lost(String)
    /// Something is there twice, or under two ids.
    case doubled(String)
    /// Something is there that nobody wrote, or that differs from the oracle.
    case unexpected(String)
    /// The database is damaged.
    case damaged(String)
    /// A valid fix was refused for its time, under a success.
    case refused(String)
    /// A message was not sent, or not in its order.
    case undelivered(String)
    /// Nothing moves, or not within the promised time.
    case stuck(String)

    /// The kind, to compare two runs.
    package var kind: String {
        switch self {
        case .lost: "lost"
        case .doubled: "doubled"
        case .unexpected: "unexpected"
        case .damaged: "damaged"
        case .refused: "refused"
        case .undelivered: "undelivered"
        case .stuck: "stuck"
        }
    }

    package var description: String {
        switch self {
        case .lost(let text), .doubled(let text), .unexpected(let text), .damaged(let text), .refused(let text),
            .undelivered(let text), .stuck(let text):
            "\(kind): \(text)"
        }
    }
}
