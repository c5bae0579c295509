import FencepostJSON
import FencepostModel
import FencepostService

/// Decides when a message of an endpoint may be sent: quiet hours, one message for one fact, cooldown and the collection of
/// bursts.
///
/// A pure state machine; the runner asks it before each attempt and performs what it says.
struct MessageGate: Hashable, Sendable {
    enum Decision: Hashable {
        case send
        /// Send it at this time, without counting an attempt.
        case hold(until: Timestamp)
        /// Never send it.
        case suppress
        /// Never send it: another message has said the same.
        case omit
    }

    /// Largest number of events in one message.
    static let largestGroup = 20
    /// Largest number of devices and regions whose last message is kept.
    static let largestMemory = 1000

    private let cooldown: Duration?
    private let group: Duration?
    private let quietHours: Schedule?
    private let dropsQuietMessages: Bool
    /// Times of the last messages by device and region.
    private(set) var lastMessages: [String: Timestamp]
    /// What was said of who is where; `nil` for a webhook, which gets every event.
    private(set) var sent: SentFacts?
    /// When the messages that are being collected are sent; `nil` while none is.
    private var groupEnd: Timestamp?

    init(_ endpoint: Endpoint, lastMessages: [String: Timestamp] = [:], facts: [String: SentFact] = [:]) {
        cooldown = endpoint.cooldown
        group = endpoint.kind.isForPeople ? endpoint.people.group : nil
        quietHours = endpoint.quietHours?.schedule
        dropsQuietMessages = endpoint.quietHours?.drops ?? false
        self.lastMessages = endpoint.cooldown == nil ? [:] : lastMessages
        sent = endpoint.kind.isForPeople ? SentFacts(endpoint, facts: facts) : nil
    }

    /// Whether several messages become one.
    var collects: Bool { group != nil }

    /// What to do with a due message now. `send` starts the cooldown of its device and region.
    mutating func decide(_ delivery: PendingDelivery, at now: Timestamp) -> Decision {
        // Its user has chosen the time, and its file cannot be collected.
        if delivery.isReport { return .send }
        // What was tried once goes on being tried, and so do events of the service itself.
        let isFirst = delivery.attempts == 0
        if let quietHours, quietHours.isOpen(at: now) {
            if dropsQuietMessages, isFirst { return .suppress }
            if let end = quietHours.nextTransition(after: now) { return .hold(until: end) }
        }
        guard isFirst else { return .send }
        let fact = sent == nil ? nil : SentFacts.fact(of: delivery)
        if let fact, sent?.contain(fact) == true { return .omit }
        var moment: (key: String, time: Timestamp)?
        if let cooldown, let key = Self.key(of: delivery) {
            let time = delivery.eventTimestamp ?? delivery.createdAt
            if let last = lastMessages[key], max(time - last, last - time) < cooldown { return .suppress }
            moment = (key, time)
        }
        // A message that was held has a due time after its creation.
        if let group, delivery.due <= delivery.createdAt {
            let end = groupEnd.map { $0 > now ? $0 : now + group } ?? now + group
            groupEnd = end
            return .hold(until: end)
        }
        if let fact { sent?.note(fact) }
        if let moment { remember(moment.key, moment.time) }
        return .send
    }

    private mutating func remember(_ key: String, _ time: Timestamp) {
        lastMessages[key] = time
        guard lastMessages.count > Self.largestMemory, let cooldown else { return }
        lastMessages = lastMessages.filter { time - $0.value < cooldown }
        while lastMessages.count > Self.largestMemory, let oldest = lastMessages.min(by: { $0.value < $1.value }) {
            lastMessages[oldest.key] = nil
        }
    }

    /// The device, the regions and the alert that a message is about; `nil` for events of the service itself.
    private static func key(of delivery: PendingDelivery) -> String? {
        guard let device = delivery.deviceID else { return nil }
        guard let document = try? JSONDocument(parsing: delivery.body) else { return device.rawValue }
        // The formats of webhooks: the data in an envelope, in a batch of one, or alone.
        let message = document.root.array.map(Array.init)?.first ?? document.root
        let data = message["data"] ?? message
        var regions: [String] = []
        if let region = data["region"]?["id"]?.string {
            regions = [region]
        } else if let visited = data["visit"]?["regions"]?.array {
            regions = visited.compactMap(\.string)
        }
        if let alert = data["alert"] { regions += ["rule", "state"].compactMap { alert[$0]?.string } }
        return ([device.rawValue] + regions).joined(separator: "\u{1F}")
    }
}
