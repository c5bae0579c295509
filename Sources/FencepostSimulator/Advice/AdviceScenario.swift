import FencepostJSON
import FencepostModel

/// A promise of a plan as a scenario file, with the answers as its expectation.
struct AdviceScenario {
    let name: String
    let device: DeviceState
    let steps: [Step]
    let deliveries: [Delivery]

    /// The scenario as compact JSON.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.name("given")
        writer.beginObject()
        writer.member("osVersion", device.osVersion.description)
        writer.member("grant", device.grant.rawValue)
        writer.member("lifecycle", device.lifecycle.rawValue)
        if let cause = device.terminatedBy { writer.member("terminatedBy", cause.rawValue) }
        if device.lowPowerMode { writer.member("lowPowerMode", true) }
        writer.member("infoPlist", device.infoPlist.entries)
        if !device.entitlements.isEmpty { writer.member("entitlements", device.entitlements.entries) }
        if !device.extensions.isEmpty { writer.member("extensions", device.extensions) }
        writer.array("services", device.services) { $0.value($1) }
        writer.endObject()
        writer.array("steps", steps) { Self.write($1, to: &$0) }
        writer.name("expect")
        writer.beginObject()
        writer.array("deliveries", deliveries) { writer, delivery in
            writer.beginObject()
            writer.member("delivery", delivery.outcome.rawValue)
            writer.member("relaunch", delivery.relaunch)
            writer.member("decidingRule", delivery.decidingRule.rawValue)
            if let runs = delivery.extensionRuns { writer.member("extensionRuns", runs) }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes a step of the verbs that plans use.
    private static func write(_ step: Step, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("do", step.verb.name)
        switch step.verb {
        case .event(let event):
            writer.member("service", event.service.rawValue)
            writer.member("kind", event.kind.rawValue)
            if let identifier = event.identifier { writer.member("identifier", identifier) }
        case .wait(let span): writer.optional("seconds", span.seconds)
        case .start(let object, _, _):
            writer.member("service", object.service.rawValue)
            writer.optional("allowsBackgroundLocationUpdates", object.allowsBackgroundLocationUpdates)
            writer.optional("showsBackgroundLocationIndicator", object.showsBackgroundLocationIndicator)
            writer.optional("pausesLocationUpdatesAutomatically", object.pausesLocationUpdatesAutomatically)
        case .answer, .appWorks, .checkAuthorization, .createManager, .createSession, .deviceMoves, .deviceStationary,
            .endSession, .enterBackground, .enterForeground, .getAuthorizationStatus, .install, .iterate, .launch,
            .lint, .lookAway, .move, .moveAcrossBoundaryWhilePoweredOff, .offload, .onWatch, .openMonitor, .query,
            .reboot, .request, .requestState, .restoreBackup, .resume, .setAllowsBackgroundLocationUpdates, .settings,
            .stop, .systemShowsReminder, .systemShowsSecondPrompt, .terminate, .uninstall, .unlock, .updateApp,
            .updateSystem:
            break
        }
        writer.endObject()
    }
}
