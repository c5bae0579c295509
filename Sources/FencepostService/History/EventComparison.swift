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
        var writer = JSONWriter()
        var known: [String: HeldEvent] = [:]
        for event in before { known[event.cause] = event }
        var contents: [String: String] = [:]
        var candidates: [Event] = []
        for event in after {
            if let held = known[event.id] {
                let content = contents[held.id] ?? EventContent.text(of: held.body)
                contents[held.id] = content
                writer.removeAll()
                var plain = event
                plain.why = nil
                writer.value(plain)
                if EventContent.text(of: String(decoding: writer.bytes, as: UTF8.self)) == content {
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
    /// Members that an evaluation does not decide.
    private static let ignored: Set<String> = [
        "id", "sequence", "receivedAt", "apps", "revision", "supersedes", "why",
    ]

    /// The event's JSON without these members, and with the id of its region only.
    static func text(of body: String) -> String {
        guard let document = try? JSONDocument(parsing: body), let object = document.root.object else { return body }
        var writer = JSONWriter()
        writer.beginObject()
        for member in object where !ignored.contains(member.name) {
            writer.name(member.name)
            if member.name == "region", let id = member.value["id"] {
                writer.value(id)
            } else {
                writer.value(member.value)
            }
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The type, the region, and the rule and state of an alert: an event can only replace one with the same.
    static func subject(_ event: HeldEvent) -> String {
        let subject = event.type + " " + (event.regionID?.rawValue ?? "")
        guard event.type.hasPrefix("alert."), let alert = (try? JSONDocument(parsing: event.body))?.root["alert"],
            let state = alert["state"]?.string, let rule = alert["rule"]?.string
        else { return subject }
        return subject + " " + state + " " + rule
    }

    static func subject(_ event: Event) -> String {
        let subject = event.occurrence.type.rawValue + " " + (event.occurrence.region?.id.rawValue ?? "")
        guard case .alert(let alert) = event.occurrence else { return subject }
        return subject + " " + alert.state.rawValue + " " + alert.rule
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
