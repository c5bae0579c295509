import FencepostModel
import FencepostService
import Foundation

/// Events of the service itself, in the form of rule E1.
enum ServiceEvents {
    static func disabled(_ endpoint: Endpoint, reason: String, at now: Timestamp) -> NewEvent {
        make(
            .disabled(summary(of: endpoint), reason: reason), cause: [endpoint.id, String(now.milliseconds)], at: now)
    }

    static func exhausted(
        _ delivery: PendingDelivery, of endpoint: Endpoint, attempts: Int, at now: Timestamp
    ) -> NewEvent {
        // With the number of attempts, a delivery that was retried by hand and failed again has another event id.
        make(
            .exhausted(
                summary(of: endpoint),
                ServiceNotice.DeliverySummary(
                    id: delivery.id, eventID: delivery.eventID, eventType: delivery.eventType, attempts: attempts)),
            cause: [delivery.id, String(attempts)], at: now)
    }

    static func test(_ endpoint: Endpoint, at now: Timestamp) -> NewEvent {
        make(.test(summary(of: endpoint)), cause: [endpoint.id, String(now.milliseconds)], at: now)
    }

    /// `asked`: when somebody asked for the report; `nil` for one that was due.
    static func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, asked: Timestamp?, at now: Timestamp
    ) -> NewEvent {
        var cause = [schedule.id, String(run.start.milliseconds), String(run.end.milliseconds)]
        if let asked { cause.append(String(asked.milliseconds)) }
        let dates = schedule.timing.dates(of: run)
        let report = ServiceNotice.ReportSummary(
            kind: schedule.report.rawValue, format: schedule.format.rawValue, from: run.start.rfc3339,
            to: run.end.rfc3339, timeZone: schedule.timing.timeZone.identifier, firstDate: dates.first,
            lastDate: dates.last, path: schedule.target(of: run))
        return make(
            .report(
                ServiceNotice.ScheduleSummary(id: schedule.id, name: schedule.name), report,
                recipients: schedule.endpoints), cause: cause, at: now)
    }

    private static func summary(of endpoint: Endpoint) -> ServiceNotice.EndpointSummary {
        ServiceNotice.EndpointSummary(id: endpoint.id, description: endpoint.description)
    }

    private static func make(_ subject: ServiceNotice.Subject, cause: [String], at now: Timestamp) -> NewEvent {
        NewEvent(EventMessage(.notice(ServiceNotice(subject, cause: cause, at: now)), receivedAt: now))
    }
}
