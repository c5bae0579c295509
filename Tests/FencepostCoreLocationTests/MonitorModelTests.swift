import FencepostCoreLocation
import FencepostSimulator
import Observation
import Testing

/// The shape of Apple's sample for monitors: a model with one row of events for each condition.
@MainActor @Observable private final class MonitorModel {
    private(set) var rows: [String: [CLMonitor.Event]] = [:]
    private(set) var obstacles: [String] = []
    @ObservationIgnored private var monitor: CLMonitor?
    @ObservationIgnored private var session: CLServiceSession?

    init() {
        session = CLServiceSession(authorization: .always)
        Task { await run() }
        Task { try await watchSession() }
    }

    func run() async {
        let monitor = await CLMonitor("Places")
        self.monitor = monitor
        if await monitor.identifiers.isEmpty {
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: Berlin.office, radius: 150), identifier: "office",
                assuming: .satisfied)
            await monitor.add(
                CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 1), identifier: "desk", assuming: .unsatisfied)
        }
        for identifier in await monitor.identifiers {
            guard let last = await monitor.record(for: identifier)?.lastEvent else { continue }
            rows[identifier] = [last]
        }
        do {
            for try await event in await monitor.events {
                guard let record = await monitor.record(for: event.identifier) else { continue }
                if record.condition is CLMonitor.BeaconIdentityCondition, event.refinement == nil { continue }
                switch event.state {
                case .satisfied, .unsatisfied: rows[event.identifier, default: []].append(event)
                case .unmonitored where event.conditionLimitExceeded: obstacles.append("limit")
                case .unmonitored, .unknown: obstacles.append("unmonitored")
                @unknown default: break
                }
            }
        } catch {
            obstacles.append("\(error)")
        }
    }

    private func watchSession() async throws {
        guard let session else { return }
        for try await diagnostic in session.diagnostics where diagnostic.alwaysAuthorizationDenied {
            obstacles.append("always denied")
        }
    }

    func forget(_ identifier: String) async { await monitor?.remove(identifier) }
}

/// A monitor and a service session in an observable model, over two launches.
@MainActor @Suite("A model around a monitor") struct MonitorModelTests {
    @Test("shows each crossing once, also those of a launch by the system")
    func rows() async throws {
        let device = SimulatedDevice(.iPhone(.always, .newest), at: Berlin.office)
        let app = try #require(device.launch { MonitorModel() })
        await device.settle(loops: 2)
        #expect(app.rows["office"]?.map(\.state) == [.satisfied])
        await device.move(to: Berlin.north(2000), speed: 10)
        await device.settle()
        #expect(app.rows["office"]?.map(\.state) == [.satisfied, .unsatisfied])

        device.enterBackground()
        device.terminate(by: .system)
        await device.move(to: Berlin.office, speed: 10)
        await device.wait(.seconds(60))
        await device.settle(loops: 2)
        let launched = try #require(device.app(as: MonitorModel.self))
        #expect(device.launches == 1)
        #expect(launched.rows["office"]?.last?.state == .satisfied)
        #expect(launched.obstacles.isEmpty && Set(launched.rows.keys) == ["office", "desk"])

        await launched.forget("office")
        await device.move(to: Berlin.north(2000), speed: 10)
        #expect(launched.rows["office"]?.last?.state == .satisfied, "it is not monitored any more")
    }
}
