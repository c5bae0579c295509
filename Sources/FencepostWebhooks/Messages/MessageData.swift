import FencepostJSON
import FencepostService

/// What a receiver gets to read of an event, whatever the format around it (rule W4).
///
/// Only members that are known to be fit for receivers are taken over from the event, so that a new one does not tell
/// more than an endpoint may know (rule P4).
struct MessageData {
    /// What is left out of a message that would be too large, the first first.
    enum Omission: String, CaseIterable, Comparable {
        case metadata = "region.metadata"
        /// The reasons of the decisions; what was decided stays.
        case reasons = "apps.because"
        case apps
        case tags = "region.tags"
        case visitRegions = "visit.regions"

        static func < (a: Omission, b: Omission) -> Bool { a.place < b.place }

        private var place: Int { Omission.allCases.firstIndex(of: self) ?? 0 }
    }

    let event: JSONElement
    let view: MessageView
    /// Everything up to this one is left out.
    var omitted: Omission?
    var isTest = false

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for member in event.object.map(Array.init) ?? [] {
            write(member.name, member.value, to: &writer)
        }
        writer.name("test")
        writer.value(isTest)
        writeOmissions(to: &writer)
        writer.endObject()
    }

    private func omits(_ part: Omission) -> Bool { omitted.map { part <= $0 } ?? false }

    private func write(_ name: String, _ value: JSONElement, to writer: inout JSONWriter) {
        switch name {
        case "id":
            writer.name("eventId")
            writer.value(value)
        case "sequence", "detectedAt", "deviceId", "confidence", "reason", "dwell", "app", "endpoint", "delivery":
            writer.name(name)
            writer.value(value)
        case "region":
            writer.name(name)
            writeRegion(value, to: &writer)
        case "location" where view.includesLocation, "visit":
            writer.name(name)
            writePlace(value, to: &writer)
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
        // What the region is called in its owner's own system, which rides in the metadata.
        if let external = region["metadata"]?["externalId"], external.kind == .string || external.kind == .number {
            writer.name("externalId")
            writer.value(external)
        }
        writer.endObject()
    }

    /// A location or a visit, its coordinates as the receiver may see them.
    private func writePlace(_ place: JSONElement, to writer: inout JSONWriter) {
        writer.beginObject()
        for member in place.object.map(Array.init) ?? [] {
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

/// What two endpoints have to have in common to get the same bytes.
struct MessageView: Hashable, Sendable {
    var format: Endpoint.Format
    var precision: Int?
    var includesLocation: Bool
    /// The apps whose decisions it sees; empty is all.
    var apps: Set<String>

    init(_ endpoint: Endpoint) {
        format = endpoint.format
        precision = endpoint.precision.map { min(max($0, 0), 7) }
        includesLocation = endpoint.includesLocation
        apps = Set(endpoint.apps)
    }
}
