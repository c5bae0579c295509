import FencepostCoreLocation
import FencepostSimulator
import Testing

@MainActor @Suite("A geofence app") struct GeofenceTests {
    @Test("receives crossings while it is open, but no event for its place at the start")
    func foreground() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice() }
        #expect(app.received == ["status 4", "state 1 office"])
        #expect(app.monitored == ["office"])

        device.move(to: Berlin.north(380))
        device.wait(.seconds(60))
        #expect(app.received.count == 2, "not yet beyond the boundary by the cushion of 200 metres")
        device.move(to: Berlin.north(1000))
        device.wait(.seconds(20))
        #expect(app.received.suffix(2) == ["exit office", "state 2 office"])
        device.move(to: Berlin.office)
        device.wait(.seconds(20))
        #expect(app.received.suffix(2) == ["enter office", "state 1 office"])
        device.run { app.askForState() }
        #expect(app.received.last == "state 1 office")
    }

    @Test("is launched for an exit with Always, even after the user ended it", arguments: [Termination.user, .system])
    func relaunch(_ cause: Termination) throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        let first = try #require(device.launch { GeofenceApp() })
        device.run { first.watchOffice() }
        device.enterBackground()
        device.terminate(by: cause)
        device.move(to: Berlin.north(1000))
        device.wait(.seconds(20))

        let delivery = try #require(device.deliveries(of: .regionCircular).last)
        #expect(delivery.outcome == .delivered)
        #expect(delivery.relaunch)
        #expect(delivery.rules.contains(cause == .user ? .relaunch08 : .relaunch09))
        #expect(device.launches == 1)
        let second = try #require(device.app(as: GeofenceApp.self))
        #expect(second !== first)
        #expect(second.received == ["status 3", "exit office", "state 2 office"])
        #expect(first.received == ["status 3", "state 1 office"], "the ended process receives no callback")
        #expect(second.monitored == ["office"])
        #expect(device.lifecycle == .suspended, "its ten seconds were over before the device arrived")
    }

    @Test("is not launched with While Using, and the device gives the reason")
    func noRelaunch() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice() }
        device.enterBackground()
        device.terminate(by: .system)
        device.move(to: Berlin.north(1000))
        device.wait(.seconds(20))
        let delivery = try #require(device.deliveries(of: .regionCircular).last)
        #expect(!delivery.relaunch)
        #expect(delivery.decidingRule == .relaunch04)
        #expect(device.app(as: GeofenceApp.self) == nil)
        #expect(device.launches == 0)
    }

    @Test("loses an event if its launch code makes no manager")
    func lost() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        var isFirst = true
        let launched = device.launch { () -> LazyApp in
            defer { isFirst = false }
            return LazyApp(makesManager: isFirst)
        }
        let app = try #require(launched)
        device.run { app.service?.watchOffice() }
        device.terminate(by: .system)
        device.move(to: Berlin.north(1000))
        device.wait(.seconds(20))
        let delivery = try #require(device.deliveries(of: .regionCircular).last)
        #expect(delivery.relaunch)
        #expect(delivery.outcome == .lost)
        #expect(delivery.decidingRule == .relaunch21)
        #expect(delivery.managersNotified == 0)
    }

    private final class LazyApp {
        let service: GeofenceApp?
        @MainActor init(makesManager: Bool) { service = makesManager ? GeofenceApp() : nil }
    }

    @Test("with a provisional Always has its event held for the second prompt", arguments: [true, false])
    func provisional(agrees: Bool) throws {
        let device = SimulatedDevice(.iPhone(), at: Berlin.office)
        let first = try #require(device.launch { GeofenceApp() })
        device.run { first.askAlways() }
        #expect(device.prompt?.descriptionKey == "NSLocationWhenInUseUsageDescription")
        device.answer(.allowWhileUsing)
        #expect(first.received == ["status 0", "status 3"])
        #expect(device.grant == .provisionalAlways)

        device.run { first.watchOffice() }
        device.enterBackground()
        device.terminate(by: .system)
        device.move(to: Berlin.north(1000))
        device.wait(.seconds(20))
        #expect(device.deliveries.last?.outcome == .held)
        #expect(device.app(as: GeofenceApp.self) == nil)
        #expect(device.isSecondPromptScheduled)

        device.showSecondPrompt()
        #expect(device.prompt?.kind == .second)
        device.answer(agrees ? .changeToAlwaysAllow : .keepOnlyWhileUsing)
        if agrees {
            let second = try #require(device.app(as: GeofenceApp.self))
            #expect(second.received == ["status 3", "exit office", "state 2 office"])
            #expect(device.deliveries.last?.settled?.relaunch == true)
        } else {
            #expect(device.app(as: GeofenceApp.self) == nil)
            #expect(device.deliveries.last?.settled?.outcome == .dropped)
            device.launch()
            #expect(device.app(as: GeofenceApp.self)?.received == ["status 4"])
        }
    }

    @Test("is refused its 21st region and keeps the other 20")
    func limit() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watch(21) }
        #expect(app.received.filter { $0.hasPrefix("failed") } == ["failed r21 5"])
        #expect(app.monitored.count == 20)
        device.move(to: Berlin.north(5000), speed: 100)
        device.wait(.seconds(20))
        #expect(app.received.contains("enter r1"))
    }

    @Test("is refused a radius beyond the maximum, which is not cut down")
    func radius() throws {
        var state = DeviceState.iPhone(.always)
        state.maximumRegionMonitoringDistance = 1000
        let device = SimulatedDevice(state, at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice(radius: 1001) }
        #expect(app.received.last == "failed office 5")
        #expect(app.monitored.isEmpty)
    }

    @Test("receives no crossing with reduced accuracy")
    func reduced() throws {
        var state = DeviceState.iPhone(.always)
        state.accuracy = .reduced
        let device = SimulatedDevice(state, at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice() }
        device.move(to: Berlin.north(1000))
        device.wait(.seconds(20))
        #expect(!app.received.contains("exit office"))
        #expect(device.deliveries(of: .regionCircular).map(\.outcome) == [.notMonitored])
        #expect(device.deliveries.last?.decidingRule == .acc06)
    }

    @Test("goes on tracking in the background if it declares it, and is suspended if not", arguments: [true, false])
    func tracking(inBackground: Bool) throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Berlin.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { inBackground ? app.trackInBackground() : app.track() }
        device.enterBackground()
        device.wait(.seconds(60))
        let before = app.received.count
        device.move(to: Berlin.north(140), speed: 14)
        #expect((app.received.count > before) == inBackground)
        #expect(device.lifecycle == (inBackground ? .backgroundRunning : .suspended))
    }

    @Test("gives the same callbacks twice")
    func repeats() throws {
        func callbacks() throws -> [String] {
            let device = SimulatedDevice(.iPhone(.always), at: Berlin.office)
            let app = try #require(device.launch { GeofenceApp() })
            device.run {
                app.watch(20)
                app.track()
            }
            device.move(along: [Berlin.north(20_000), Berlin.north(7000)], speed: 50)
            return app.received
        }
        let first = try callbacks()
        #expect(first.count > 400)
        #expect(try callbacks() == first)
    }
}
