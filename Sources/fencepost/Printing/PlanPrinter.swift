import FencepostAnalysis
import FencepostAppCommands
import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Formats the region plan of a scenario's recording: what to register where, and which events are still lost.
enum PlanPrinter {
    static func text(of plan: borrowing RegionPlan, name: String) -> String {
        var text = "plan \(name)\n"
        for registration in plan.registrations {
            let position = registration.location.coordinate
            let circle = registration.circle.map { " and a circle of \(Int(clamped: $0.rounded())) m" } ?? ""
            let few = registration.regions.prefix(4).map(\.rawValue).joined(separator: ", ")
            let rest = registration.regions.count > 4 ? ", …" : ""
            text += "  \(registration.location.timestamp.rfc3339)  \(position.latitude) \(position.longitude): "
            text += "register \(Prose.count(registration.regions.count, "region"))\(circle) (\(few)\(rest))\n"
        }
        text += "  \(Prose.count(plan.caught, "event")) caught, \(plan.lost.count) lost; "
        text += "\(plan.caughtByFirst) caught with only the first regions of the file registered\n"
        for event in plan.lost {
            text += "    lost: \(event.timestamp.rfc3339) \(event.occurrence.type.rawValue) \(region(of: event))\n"
        }
        return text
    }

    static func json(of plan: borrowing RegionPlan, name: String, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.value(name)
        writer.name("registrations")
        writer.beginArray()
        for registration in plan.registrations {
            writer.beginObject()
            writer.name("at")
            writer.value(registration.location.timestamp.rfc3339)
            writer.name("latitude")
            writer.value(registration.location.coordinate.latitude)
            writer.name("longitude")
            writer.value(registration.location.coordinate.longitude)
            writer.name("regions")
            writer.beginArray()
            for id in registration.regions { writer.value(id.rawValue) }
            writer.endArray()
            writer.name("circle")
            if let circle = registration.circle { writer.value(circle.rounded()) } else { writer.null() }
            writer.endObject()
        }
        writer.endArray()
        for (name, count) in [("caught", plan.caught), ("caughtByFirst", plan.caughtByFirst)] {
            writer.name(name)
            writer.value(count)
        }
        writer.name("lost")
        writer.beginArray()
        for event in plan.lost {
            writer.beginObject()
            for (name, text) in [
                ("at", event.timestamp.rfc3339), ("type", event.occurrence.type.rawValue),
                ("region", region(of: event)),
            ] {
                writer.name(name)
                writer.value(text)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private static func region(of event: Event) -> String { event.occurrence.region?.id.rawValue ?? "" }
}
