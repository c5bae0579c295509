import FencepostFormats
import FencepostJSON
import FencepostModel

/// Compares the events of an evaluation with the stored ones: which stay, which are new, replaced and withdrawn.
struct EventComparison {
    /// A new event, and the stored one that it replaces.
    struct Addition {
        var event: Event
        var replaced: HeldEvent?
    }

    private(set) var added: [Addition] = []
    /// Stored events without a successor.
    private(set) var withdrawn: [HeldEvent] = []

    /// How far apart in time an event and its replacement may lie.
    private static let widestReplacement = Duration.seconds(86_400)

    /// - Parameters:
    ///   - before: the stored events that hold.
    ///   - after: the events of the evaluation.
    init(_ before: [HeldEvent], _ after: [Event]) {
        var known: [String: HeldEvent] = [:]
        for event in before { known[event.cause] = event }
        var contents: [String: String] = [:]
        var candidates: [Event] = []
        for event in after {
            if let held = known[event.id] {
                let content = contents[held.id] ?? held.message.map(EventContent.text)
                contents[held.id] = content
                let message = EventMessage(.occurrence(event, decisions: []), receivedAt: event.detectedAt)
                if EventContent.text(of: message) == content {
                    known[event.id] = nil
                    continue
                }
            }
            candidates.append(event)
        }
        // An event with the same cause is replaced; then the nearest one of the same kind.
        var open: [String: [HeldEvent]] = [:]
        let causes = Set(candidates.map(\.id))
        for event in before where known[event.cause] != nil && !causes.contains(event.cause) {
            open[EventContent.subject(event), default: []].append(event)
        }
        for event in candidates {
            if let held = known[event.id] {
                added.append(Addition(event: event, replaced: held))
                continue
            }
            let subject = EventContent.subject(event)
            let distances = (open[subject] ?? []).enumerated().map { index, held in
                (index: index, distance: (held.timestamp - event.timestamp).magnitude)
            }
            let nearest = distances.min { ($0.distance, $0.index) < ($1.distance, $1.index) }
            guard let nearest, nearest.distance <= Self.widestReplacement else {
                added.append(Addition(event: event, replaced: nil))
                continue
            }
            added.append(Addition(event: event, replaced: open[subject]?.remove(at: nearest.index)))
        }
        withdrawn = open.values.flatMap { $0 }.sorted { ($0.detectedAt, $0.id) < ($1.detectedAt, $1.id) }
    }
}

/// The parts of an event by which two evaluations are compared.
enum EventContent {
    /// The members that an evaluation decides as JSON, with the id of the region only.
    static func text(of message: EventMessage) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        let parts = EventParts(message)
        for member in EventMember.allCases {
            switch member {
            case .id, .sequence, .receivedAt, .revision, .supersedes, .apps: break
            case .region:
                guard let region = message.region else { continue }
                writer.name(member.rawValue)
                writer.value(region.id.rawValue)
            case .type, .timestamp, .detectedAt, .earliest, .latest, .device, .retracts, .retractedType, .endpoint,
                .delivery, .schedule, .report, .recipients, .visit, .app, .alert, .fence, .proximity, .plan,
                .location, .confidence,
                .reason,
                .dwell:
                writer.field(member, of: parts)
            }
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The type, the region, the rule and state of an alert, the round and place of a plan: an event can only replace one with the same.
    static func subject(_ event: HeldEvent) -> String {
        if let event = event.message?.event { return subject(event) }
        return event.type + " " + (event.regionID?.rawValue ?? "")
    }

    static func subject(_ event: Event) -> String {
        let subject = event.occurrence.type.rawValue + " " + (event.occurrence.region?.id.rawValue ?? "")
        switch event.occurrence {
        case .alert(let alert): return subject + " " + alert.state.rawValue + " " + alert.rule
        case .plan(let report): return subject + " \(report.plan) \(report.day) \(report.stop?.number ?? 0)"
        case .regionEntered, .regionExited, .regionDwelled, .visitArrived, .visitDeparted, .deviceStale,
            .deviceRecovered, .appRelaunched, .fence, .proximity:
            return subject
        }
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
