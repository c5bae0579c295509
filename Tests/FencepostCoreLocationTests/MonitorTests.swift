import FencepostCoreLocation
import FencepostSimulator
import Testing

/// Monitors the office with the newer API, and opens the monitor again at each launch.
@MainActor final class MonitorApp {
    private(set) var received: [String] = []
    private(set) var monitor: CLMonitor?
    private var session: CLServiceSession?

    init(holdsSession: Bool = false) {
        if holdsSession { session = CLServiceSession(authorization: .always) }
        Task { await watch() }
    }

    private func watch() async {
        let monitor = await CLMonitor("places")
        self.monitor = monitor
        if await monitor.record(for: "office") == nil {
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: Berlin.office, radius: 200), identifier: "office",
                assuming: .satisfied)
        }
        do {
            for try await event in await monitor.events {
                let last = await monitor.record(for: event.identifier)?.lastEvent.state
                received.append("\(event.identifier): \(last.map { "\($0)" } ?? "-") to \(event.state)")
            }
            received.append("end")
        } catch {
            received.append("error")
        }
    }
}

@MainActor @Suite("An app with a monitor", .timeLimit(.minutes(1))) struct MonitorTests {
    @Test("receives changes of state, each relative to the last one that it has handled")
    func changes() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { MonitorApp() })
        #expect(await device.settle(loops: 1))
        #expect(app.received.isEmpty, "it assumed correctly that the device is in the office")
        await device.move(to: Berlin.north(1000))
        await device.wait(.seconds(20))
        await device.settle()
        #expect(app.received == ["office: satisfied to unsatisfied"])
        await device.move(to: Berlin.office)
        await device.wait(.seconds(20))
        await device.settle()
        #expect(app.received.last == "office: unsatisfied to satisfied")
        let record = await app.monitor?.record(for: "office")
        #expect(record?.lastEvent.state == .satisfied)
    }

    @Test("is put right at once when it assumes wrongly")
    func wrongAssumption() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.north(5000))
        let app = try #require(device.launch { MonitorApp() })
        #expect(await device.settle(loops: 1))
        #expect(app.received == ["office: satisfied to unsatisfied"])
    }

    @Test("is launched for an event and finds its conditions as they were")
    func relaunch() async throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        let first = try #require(device.launch { MonitorApp() })
        #expect(await device.settle(loops: 1))
        device.terminate(by: .system)
        await device.settle()
        for _ in 0..<100 where first.received.isEmpty { await Task.yield() }
        #expect(first.received == ["end"])

        await device.move(to: Berlin.north(1000))
        await device.wait(.seconds(20))
        #expect(device.deliveries(of: .clMonitorCircular).last?.relaunch == true)
        let second = try #require(device.app(as: MonitorApp.self))
        #expect(await device.settle(loops: 1))
        #expect(second.received == ["office: satisfied to unsatisfied"])
    }

    @Test("is not launched from iOS 18 on without a service session for Always", arguments: [true, false])
    func session(isHeld: Bool) async throws {
        let device = SimulatedDevice(.iPhone(.always, OSVersion(18)), at: Berlin.office)
        device.launch { MonitorApp(holdsSession: isHeld) }
        #expect(await device.settle(loops: 1))
        device.enterBackground()
        await device.wait(.seconds(60))
        device.terminate(by: .system)
        await device.move(to: Berlin.north(1000))
        await device.wait(.seconds(20))
        let delivery = try #require(device.deliveries(of: .clMonitorCircular).last)
        #expect(delivery.relaunch == isHeld)
        if !isHeld { #expect(delivery.decidingRule == .relaunch12) }
    }

    @Test("has its 21st condition unmonitored, and from iOS 18 receives the reason")
    func limit() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse, OSVersion(18)), at: Berlin.office)
        let events = EventList()
        device.launch { events }
        try await device.run {
            let monitor = await CLMonitor("many")
            for number in 1...21 {
                let condition = CLMonitor.CircularGeographicCondition(
                    center: Berlin.north(Double(number) * 5000), radius: 200)
                await monitor.add(condition, identifier: "c\(number)", assuming: .unsatisfied)
            }
            for try await event in await monitor.events {
                events.list.append(event)
                break
            }
            #expect(await monitor.identifiers.count == 21)
        }
        #expect(events.list.map(\.identifier) == ["c21"])
        #expect(events.list.first?.state == .unmonitored)
        #expect(events.list.first?.conditionLimitExceeded == true)
    }

    @Test("gets after a launch what it had not handled before")
    func unhandled() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let events = EventList()
        device.launch { events }
        let condition = CLMonitor.CircularGeographicCondition(center: Berlin.office, radius: 200)
        let first = await device.run {
            let monitor = await CLMonitor("kept")
            await monitor.add(condition, identifier: "office", assuming: .satisfied)
            return monitor
        }
        await device.move(to: Berlin.north(1000))
        await device.wait(.seconds(20))
        #expect(await first.record(for: "office")?.lastEvent.state == .satisfied)
        device.terminate(by: .system)
        device.launch()
        try await device.run {
            for try await event in await CLMonitor("kept").events {
                events.list.append(event)
                break
            }
        }
        #expect(events.list.map(\.state) == [.unsatisfied])
    }

    @Test("crashes if it opens one name twice at a time, but may open it again later")
    func twice() async throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        device.launch { EventList() }
        await device.run {
            do {
                let first = await CLMonitor("one")
                await first.add(
                    CLMonitor.CircularGeographicCondition(center: Berlin.office, radius: 100), identifier: "a")
            }
            let second = await CLMonitor("one")
            #expect(await second.identifiers == ["a"])
            #expect(device.crash == nil)
            _ = await CLMonitor("one")
            withExtendedLifetime(second) {}
        }
        #expect(device.crash?.rule == .mon05)
    }

    private final class EventList { var list: [CLMonitor.Event] = [] }
}
