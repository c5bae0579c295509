import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService

/// The member `data` of a message, in every format (rule W4).
///
/// What a message has of each member is decided here one by one, so that a new member does not disclose more than an endpoint may
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

    let parts: EventParts
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
        for member in EventMember.allCases { write(member, to: &writer) }
        writer.name("test")
        writer.value(isTest)
        writeNotes(to: &writer)
        writeOmissions(to: &writer)
        writer.endObject()
    }

    private func write(_ member: EventMember, to writer: inout JSONWriter) {
        switch member {
        case .id:
            writer.name("eventId")
            writer.value(parts.message.id)
        // The envelope has them.
        case .type, .timestamp: break
        // In notes.
        case .earliest, .latest: break
        // Who else receives a report is nobody's concern.
        case .recipients: break
        case .sequence, .detectedAt, .receivedAt, .device, .confidence, .reason, .dwell, .alert, .proximity, .plan,
            .app, .endpoint,
            .delivery, .schedule, .report, .revision, .supersedes, .retracts, .retractedType:
            writer.field(member, of: parts)
        case .region: writeRegion(to: &writer)
        case .location:
            guard view.includesLocation, let location = parts.event?.location else { return }
            writer.name(member.rawValue)
            writer.value(rounded(location))
        case .fence: writeFence(to: &writer)
        case .visit: writeVisit(to: &writer)
        case .apps: writeApps(to: &writer)
        }
    }

    private func writeNotes(to writer: inout JSONWriter) {
        guard let notes else { return }
        writer.name("crossing")
        writer.value(notes.isCrossing)
        writer.field(.earliest, of: parts)
        writer.field(.latest, of: parts)
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

    private func writeRegion(to writer: inout JSONWriter) {
        guard let region = parts.region else { return }
        writer.name(EventMember.region.rawValue)
        writer.beginObject()
        writer.name("id")
        writer.value(region.id.rawValue)
        if let name = region.name {
            writer.name("name")
            writer.value(name)
        }
        if !omits(.tags) {
            writer.name("tags")
            writer.beginArray()
            for tag in region.tags { writer.value(tag) }
            writer.endArray()
        }
        if let metadata = region.metadata {
            if !omits(.metadata) {
                writer.name("metadata")
                writer.raw(metadata.rawValue)
            }
            // The region's id in its owner's system, which is stored in the metadata.
            let external = (try? JSONDocument(parsing: metadata.rawValue))?.root["externalId"]
            if let external, external.kind == .string || external.kind == .number {
                writer.name("externalId")
                writer.value(external)
            }
        }
        writer.endObject()
    }

    /// A location as precise as the endpoint may receive it.
    private func rounded(_ location: Location) -> Location {
        guard let decimals = view.precision else { return location }
        var location = location
        location.coordinate.latitude = Self.rounded(location.coordinate.latitude, decimals: decimals)
        location.coordinate.longitude = Self.rounded(location.coordinate.longitude, decimals: decimals)
        return location
    }

    /// The visit: without the place for an endpoint that receives no locations, and without regions if they are left out.
    private func writeVisit(to writer: inout JSONWriter) {
        guard var visit = parts.visit else { return }
        if let decimals = view.precision {
            visit.coordinate.latitude = Self.rounded(visit.coordinate.latitude, decimals: decimals)
            visit.coordinate.longitude = Self.rounded(visit.coordinate.longitude, decimals: decimals)
        }
        writer.name(EventMember.visit.rawValue)
        writer.value(visit, hasCoordinate: view.includesLocation, hasRegions: !omits(.visitRegions))
    }

    /// The fence: without its centre for an endpoint that receives no locations.
    private func writeFence(to writer: inout JSONWriter) {
        guard case .fence(var report) = parts.event?.occurrence else { return }
        if let decimals = view.precision {
            report.fence.center.latitude = Self.rounded(report.fence.center.latitude, decimals: decimals)
            report.fence.center.longitude = Self.rounded(report.fence.center.longitude, decimals: decimals)
        }
        writer.name(EventMember.fence.rawValue)
        writer.value(report, hasCenter: view.includesLocation)
    }

    static func rounded(_ degrees: Double, decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return (degrees * scale).rounded() / scale
    }

    private func writeApps(to writer: inout JSONWriter) {
        let decisions = visibleDecisions
        guard !decisions.isEmpty, !omits(.apps) else { return }
        writer.name(EventMember.apps.rawValue)
        writer.beginArray()
        for decision in decisions {
            guard omits(.reasons), let root = (try? JSONDocument(parsing: decision.text.rawValue))?.root else {
                writer.raw(decision.text.rawValue)
                continue
            }
            writer.beginObject()
            for name in ["app", "service", "kind", "identifier", "delivery", "relaunch", "decidingRule"] {
                guard let value = root[name] else { continue }
                writer.name(name)
                writer.value(value)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private var visibleDecisions: [AppDecision] {
        parts.message.decisions.filter { decision in
            view.apps.isEmpty || decision.app.map(view.apps.contains) == true
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
        case .metadata: parts.region?.metadata != nil
        case .reasons: !omits(.apps) && !visibleDecisions.isEmpty
        case .apps: !visibleDecisions.isEmpty
        case .tags: parts.region != nil
        case .visitRegions: parts.visit != nil
        }
    }
}
