import FencepostJSON
import FencepostModel
import FencepostService

/// What the messages of an endpoint for people have said about who is where, so that one fact is one message.
///
/// A crossing and a visit know of the same arrival: the crossing at once, the visit minutes later, but also where no
/// crossing was seen. Whichever comes first is sent. An entry or exit is left out only after a visit: what another one said
/// cannot be trusted to be the last, since exits may have been dropped in quiet hours or while the endpoint was disabled. Who
/// is only found to be there (`isCrossing` is false) is named once.
struct SentFacts: Hashable, Sendable {
    /// The arrival or departure that a message is about.
    struct Fact: Hashable {
        var device: String
        /// The regions; of a visit the smallest first. Not empty.
        var regions: [String]
        var isInside: Bool
        var isVisit: Bool
        var at: Timestamp
        /// Of a departure of a visit: when the device came; `nil` if that is not known.
        var arrival: Timestamp?
        /// As in `Event`.
        var isCrossing = true
    }

    /// A crossing and a visit of one arrival or departure are at most so far apart.
    static let span = Duration.seconds(3600)

    /// By device and region.
    private(set) var facts: [String: SentFact]
    /// Whether the endpoint gets exits, so that those inside need no departure of a visit.
    private let getsExits: Bool

    init(_ endpoint: Endpoint, facts: [String: SentFact] = [:]) {
        self.facts = facts
        getsExits = endpoint.events.isEmpty || TextPatterns(endpoint.events).match(EventType.regionExited.rawValue)
    }

    /// Whether a message has said this before.
    func contain(_ fact: Fact) -> Bool {
        let known = fact.regions.compactMap { facts[Self.key(fact.device, $0)] }
        guard fact.isVisit else {
            // Who is there and was said to be there need not be named again.
            if !fact.isCrossing { return known.contains { $0.isInside == fact.isInside } }
            return known.contains {
                $0.isVisit && $0.isInside == fact.isInside && max($0.at - fact.at, fact.at - $0.at) <= Self.span
            }
        }
        if fact.isInside { return known.contains { $0.isInside || $0.at >= fact.at } }
        return known.contains { known in
            if known.isInside { return !known.isVisit && getsExits || known.at > fact.at }
            // A stay that began after the departure that was said has one of its own.
            return fact.arrival.map { known.at >= $0 } ?? true
        }
    }

    /// Notes that a message says this.
    mutating func note(_ fact: Fact) {
        for region in fact.regions {
            facts[Self.key(fact.device, region)] = SentFact(isInside: fact.isInside, at: fact.at, isVisit: fact.isVisit)
        }
        while facts.count > MessageGate.largestMemory,
            let oldest = facts.min(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) })
        {
            facts[oldest.key] = nil
        }
    }

    /// The arrival or departure that a message for people is about; `nil` for all others.
    static func fact(of delivery: PendingDelivery) -> Fact? {
        guard let device = delivery.deviceID?.rawValue, let type = EventType(rawValue: delivery.eventType),
            let (isInside, isVisit) = meaning(of: type), let document = try? JSONDocument(parsing: delivery.body)
        else { return nil }
        let data = document.root["data"]
        let named = data?["places"]?.array?.compactMap { $0["id"]?.string } ?? []
        // A message of an earlier version has no places.
        let region = data?["region"]?["id"]?.string.map { [$0] }
        let regions = named.isEmpty ? region ?? data?["visit"]?["regions"]?.array?.compactMap(\.string) ?? [] : named
        guard !regions.isEmpty else { return nil }
        return Fact(
            device: device, regions: regions, isInside: isInside, isVisit: isVisit,
            at: delivery.eventTimestamp ?? delivery.createdAt,
            arrival: data?["visit"]?["arrival"]?.string.flatMap { Timestamp(rfc3339: $0) },
            isCrossing: data?["crossing"]?.bool ?? true)
    }

    private static func meaning(of type: EventType) -> (isInside: Bool, isVisit: Bool)? {
        switch type {
        case .regionEntered: (true, false)
        case .regionExited: (false, false)
        case .visitArrived: (true, true)
        case .visitDeparted: (false, true)
        case .regionDwelled, .deviceStale, .deviceRecovered, .appRelaunched, .alertSpeed, .alertBattery, .alertAccuracy,
            .alertJump, .alertUnplugged, .alertAbsent, .alertPresent, .alertSilent, .fenceArmed,
            .fenceBroken, .fenceDisarmed, .proximityEntered, .proximityExited, .proximityDwelled,
            .proximityUnaccompanied, .planVisited, .planLate, .planMissed, .planCompleted:
            nil
        }
    }

    private static func key(_ device: String, _ region: String) -> String { device + "\u{1F}" + region }
}
