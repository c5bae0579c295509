import FencepostJSON
import FencepostModel
import FencepostService

/// The member `data` of a message, in every format (rule W4).
///
/// Only listed members of the event are copied, so that a new member does not disclose more than an endpoint may
/// receive (rule P4).
struct MessageData {
    /// Parts that are left out of a message that would be too large, in this order.
    enum Omission: String, CaseIterable, Comparable {
        case metadata = "region.metadata"
        /// The explanations of the decisions. The decisions themselves stay.
        case reasons = "apps.because"
        case apps
        case tags = "region.tags"
        case visitRegions = "visit.regions"

        static func < (a: Omission, b: Omission) -> Bool { a.index < b.index }

        private var index: Int { Omission.allCases.firstIndex(of: self) ?? 0 }
    }

    let event: JSONElement
    let view: MessageView
    /// This part and those before it are left out.
    var omitted: Omission?
    var isTest = false
    /// What a template needs besides the members that webhooks receive; only for people.
    var notes: Notes?

    /// Members of a message for people that no webhook receives.
    struct Notes: Hashable, Sendable {
        /// The regions of the event; of a visit the smallest first.
        var regions: [MessagePlace]
        /// As in `Event`.
        var isCrossing: Bool
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for member in event.object.map(Array.init) ?? [] {
            write(member.name, member.value, to: &writer)
        }
        writer.name("test")
        writer.value(isTest)
        writeNotes(to: &writer)
        writeOmissions(to: &writer)
        writer.endObject()
    }

    private func writeNotes(to writer: inout JSONWriter) {
        guard let notes else { return }
        writer.name("crossing")
        writer.value(notes.isCrossing)
        for name in ["earliest", "latest"] {
            guard let time = event[name] else { continue }
            writer.name(name)
            writer.value(time)
        }
        writer.name("places")
        writer.beginArray()
        for region in notes.regions {
            writer.beginObject()
            writer.name("id")
            writer.value(region.id)
            writer.name("name")
            writer.value(region.name.text)
            writer.name("home")
            writer.value(region.name.isHome)
            writer.endObject()
        }
        writer.endArray()
    }

    private func omits(_ part: Omission) -> Bool { omitted.map { part <= $0 } ?? false }

    private func write(_ name: String, _ value: JSONElement, to writer: inout JSONWriter) {
        switch name {
        case "id":
            writer.name("eventId")
            writer.value(value)
        case "sequence", "detectedAt", "receivedAt", "deviceId", "confidence", "reason", "dwell", "alert", "app",
            "endpoint",
            "delivery", "schedule", "report", "revision", "supersedes", "retracts", "retractedType":
            writer.name(name)
            writer.value(value)
        case "region":
            writer.name(name)
            writeRegion(value, to: &writer)
        case "location" where view.includesLocation, "visit":
            writer.name(name)
            writePosition(value, to: &writer)
        case "apps": writeApps(value, to: &writer)
        default: break
        }
    }

    private func writeRegion(_ region: JSONElement, to writer: inout JSONWriter) {
        writer.beginObject()
        for member in region.object.map(Array.init) ?? [] {
            switch member.name {
            case "id", "name":
                writer.name(member.name)
                writer.value(member.value)
            case "tags" where !omits(.tags), "metadata" where !omits(.metadata):
                writer.name(member.name)
                writer.value(member.value)
            default: break
            }
        }
        // The region's id in its owner's system, which is stored in the metadata.
        if let external = region["metadata"]?["externalId"], external.kind == .string || external.kind == .number {
            writer.name("externalId")
            writer.value(external)
        }
        writer.endObject()
    }

    /// A location or a visit, with coordinates as precise as the endpoint may receive them.
    private func writePosition(_ position: JSONElement, to writer: inout JSONWriter) {
        writer.beginObject()
        for member in position.object.map(Array.init) ?? [] {
            switch member.name {
            case "latitude", "longitude":
                guard view.includesLocation else { continue }
                writer.name(member.name)
                if let decimals = view.precision, let degrees = member.value.double {
                    writer.value(MessageData.rounded(degrees, decimals: decimals))
                } else {
                    writer.value(member.value)
                }
            case "horizontalAccuracy":
                guard view.includesLocation else { continue }
                writer.name(member.name)
                writer.value(member.value)
            case "regions" where omits(.visitRegions): continue
            default:
                writer.name(member.name)
                writer.value(member.value)
            }
        }
        writer.endObject()
    }

    static func rounded(_ degrees: Double, decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return (degrees * scale).rounded() / scale
    }

    private func writeApps(_ apps: JSONElement, to writer: inout JSONWriter) {
        let decisions = visibleDecisions(apps)
        guard !decisions.isEmpty, !omits(.apps) else { return }
        writer.name("apps")
        writer.beginArray()
        for decision in decisions {
            guard omits(.reasons) else {
                writer.value(decision)
                continue
            }
            writer.beginObject()
            for name in ["app", "service", "kind", "identifier", "delivery", "relaunch", "decidingRule"] {
                guard let value = decision[name] else { continue }
                writer.name(name)
                writer.value(value)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func visibleDecisions(_ apps: JSONElement?) -> [JSONElement] {
        (apps?.array.map(Array.init) ?? []).filter { decision in
            view.apps.isEmpty || decision["app"]?.string.map(view.apps.contains) == true
        }
    }

    private func writeOmissions(to writer: inout JSONWriter) {
        let left = MessageData.Omission.allCases.filter { omits($0) && isPresent($0) }
        guard !left.isEmpty else { return }
        writer.name("omitted")
        writer.beginArray()
        for part in left { writer.value(part.rawValue) }
        writer.endArray()
    }

    private func isPresent(_ part: Omission) -> Bool {
        switch part {
        case .metadata: event["region"]?["metadata"] != nil
        case .reasons: !omits(.apps) && !visibleDecisions(event["apps"]).isEmpty
        case .apps: !visibleDecisions(event["apps"]).isEmpty
        case .tags: event["region"]?["tags"] != nil
        case .visitRegions: event["visit"]?["regions"] != nil
        }
    }
}
