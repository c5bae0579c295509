public import FencepostJSON
import FencepostModel

extension JSONWriter {
    /// Writes a delivery in the form that `explain`, the API and events use.
    public mutating func value(_ delivery: Delivery) {
        let event = delivery.event
        beginObject()
        member("service", event.service.rawValue)
        member("kind", event.kind.rawValue)
        member("identifier", event.identifier)
        member("at", event.at?.rfc3339)
        member("delivery", delivery.outcome.rawValue)
        member("relaunch", delivery.relaunch)
        member("launchedInto", delivery.launchedInto)
        member("appWoken", delivery.appWoken)
        member("decidingRule", delivery.decidingRule.rawValue)
        member("rules", delivery.rules.map(\.rawValue))
        member("because", delivery.because)
        member("confidence", delivery.confidence.rawValue)
        array("warnings", delivery.warnings) { $0.value($1) }
        member("app", delivery.app)
        name("step")
        if let step = delivery.step { value(step) } else { null() }
        member("id", event.id)
        member("managersNotified", delivery.managersNotified)
        name("runtimeSeconds")
        if let runtime = delivery.runtime { value(runtime.seconds) } else { null() }
        if let range = delivery.runtimeRange {
            name("runtimeSecondsRange")
            beginArray()
            value(range.lowerBound.seconds)
            value(range.upperBound.seconds)
            endArray()
        }
        name("launchOptions")
        if let deprecated = delivery.launchKeyIsDeprecated {
            beginObject()
            member("location", delivery.launchKeyIsPresent ?? true)
            member("deprecated", deprecated)
            endObject()
        } else {
            null()
        }
        if let latency = delivery.latency {
            name("latencySeconds")
            value(latency.seconds)
        }
        if let profile = delivery.monitorProfile {
            member("monitorProfile", profile)
            member("copies", delivery.copies)
        }
        certainty(of: delivery)
        name("settled")
        if let settled = delivery.settled { value(settled) } else { null() }
        if let visit = delivery.visit {
            name("visit")
            beginObject()
            member("arrivalDate", visit.arrival.text)
            member("departureDate", visit.departure.text)
            endObject()
        }
        if let accuracy = delivery.timeAccuracy { member("timeAccuracy", accuracy.rawValue) }
        if let accuracy = delivery.spatialAccuracy { member("spatialAccuracy", accuracy.rawValue) }
        if let runs = delivery.extensionRuns { member("extensionRuns", runs) }
        if let shown = delivery.notificationShown { member("notificationShown", shown) }
        endObject()
    }

    private mutating func certainty(of delivery: Delivery) {
        name("certainty")
        beginObject()
        name("percent")
        if let percent = delivery.certainty.percent { value(percent) } else { null() }
        member("words", delivery.certainty.words)
        endObject()
    }

    mutating func value(_ settlement: Delivery.Settlement) {
        beginObject()
        member("step", settlement.step)
        member("delivery", settlement.outcome.rawValue)
        member("relaunch", settlement.relaunch)
        member("launchedInto", settlement.launchedInto)
        member("appWoken", settlement.appWoken)
        member("decidingRule", settlement.decidingRule.rawValue)
        endObject()
    }
}

extension Delivery.VisitDates.Date {
    var text: String? {
        switch self {
        case .time(let time): time.rfc3339
        case .distantPast: "distantPast"
        case .distantFuture: "distantFuture"
        case .unknown: nil
        }
    }
}
