import FencepostModel
public import FencepostService
import Logging
public import ServiceLifecycle

/// Hands the reports of schedules to the outbox when they are due.
///
/// A run and the note of it in its schedule are one transaction, and the id of its event follows from the schedule and the
/// period. So a run is neither lost nor made twice, also when the process ends in between or a cluster changes its leader.
public struct ReportScheduler: Service {
    private let store: any ReportStore
    private let dispatcher: WebhookDispatcher

    /// The longest time between looks at the schedules, which others change.
    static let interval = Duration.seconds(5)

    /// A scheduler; only one may run on a store.
    ///
    /// - Parameters:
    ///   - store: the schedules, and the outbox of the dispatcher.
    ///   - dispatcher: knows the endpoints and sends the messages.
    public init(store: any ReportStore, dispatcher: WebhookDispatcher) {
        (self.store, self.dispatcher) = (store, dispatcher)
    }

    /// Makes reports until a graceful shutdown.
    public func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await makeDue()
                try? await dispatcher.sleep(Self.interval)
            }
        }
    }

    /// Makes the reports that are due now.
    func makeDue() async {
        // A clock that was never set would make the reports of another year.
        guard dispatcher.clock.status().isBelievable else { return }
        do {
            for schedule in try await store.reportSchedules() { try await make(schedule) }
        } catch {
            dispatcher.logger.warning(
                "reports could not be made; the next try is soon", metadata: ["error": "\(error)"])
        }
    }

    private func make(_ schedule: ReportSchedule) async throws {
        let now = dispatcher.clock.now()
        guard let run = schedule.due(at: now) else { return }
        let (event, deliveries) = dispatcher.roster.report(schedule, run, at: now, isAskedFor: false)
        var sent = schedule
        sent.lastSent = ReportSchedule.Sent(run: run, at: now, eventID: event.id)
        // Somebody has changed it at this moment: the next look sees what holds.
        guard try await store.send(schedule, as: sent, event, deliveries, at: now) else { return }
        dispatcher.logger.info(
            "report made",
            metadata: ["schedule": "\(schedule.id)", "messages": .stringConvertible(deliveries.count)])
        dispatcher.eventsStored()
        dispatcher.notify(endpoints: deliveries.map(\.endpointID))
    }
}
