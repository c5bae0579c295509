import FencepostCoreLocation
import FencepostSimulator
import Testing

@MainActor @Suite("A geofence app") struct GeofenceTests {
    @Test("hears of crossings while it is open, but not of where it is at the start")
    func foreground() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Place.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice() }
        #expect(app.heard == ["status 4", "state 1 office"])
        #expect(app.monitored == ["office"])

        device.move(to: Place.north(380))
        device.wait(.seconds(60))
        #expect(app.heard.count == 2, "not yet beyond the boundary by the cushion of 200 metres")
        device.move(to: Place.north(1000))
        device.wait(.seconds(20))
        #expect(app.heard.suffix(2) == ["exit office", "state 2 office"])
        device.move(to: Place.office)
        device.wait(.seconds(20))
        #expect(app.heard.suffix(2) == ["enter office", "state 1 office"])
        device.run { app.askForState() }
        #expect(app.heard.last == "state 1 office")
    }

    @Test("is launched for an exit with Always, even after the user ended it", arguments: [Termination.user, .system])
    func relaunch(_ cause: Termination) throws {
        let device = SimulatedDevice(.iPhone(.always), at: Place.office)
        let first = try #require(device.launch { GeofenceApp() })
        device.run { first.watchOffice() }
        device.enterBackground()
        device.terminate(by: cause)
        device.move(to: Place.north(1000))
        device.wait(.seconds(20))

        let delivery = try #require(device.deliveries(of: .regionCircular).last)
        #expect(delivery.outcome == .delivered)
        #expect(delivery.relaunch)
        #expect(delivery.rules.contains(cause == .user ? .relaunch08 : .relaunch09))
        #expect(device.launches == 1)
        let second = try #require(device.app(as: GeofenceApp.self))
        #expect(second !== first)
        #expect(second.heard == ["status 3", "exit office", "state 2 office"])
        #expect(first.heard == ["status 3", "state 1 office"], "the process that is gone hears nothing")
        #expect(second.monitored == ["office"])
        #expect(device.lifecycle == .suspended, "its ten seconds were over before the device arrived")
    }

    @Test("is not launched with While Using, and the device says why")
    func noRelaunch() throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Place.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice() }
        device.enterBackground()
        device.terminate(by: .system)
        device.move(to: Place.north(1000))
        device.wait(.seconds(20))
        let delivery = try #require(device.deliveries(of: .regionCircular).last)
        #expect(!delivery.relaunch)
        #expect(delivery.decidingRule == .relaunch04)
        #expect(device.app(as: GeofenceApp.self) == nil)
        #expect(device.launches == 0)
    }

    @Test("loses an event if its launch code makes no manager")
    func lost() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Place.office)
        var isFirst = true
        let launched = device.launch { () -> LazyApp in
            defer { isFirst = false }
            return LazyApp(makesManager: isFirst)
        }
        let app = try #require(launched)
        device.run { app.service?.watchOffice() }
        device.terminate(by: .system)
        device.move(to: Place.north(1000))
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
        let device = SimulatedDevice(.iPhone(), at: Place.office)
        let first = try #require(device.launch { GeofenceApp() })
        device.run { first.askAlways() }
        #expect(device.prompt?.descriptionKey == "NSLocationWhenInUseUsageDescription")
        device.answer(.allowWhileUsing)
        #expect(first.heard == ["status 0", "status 3"])
        #expect(device.grant == .provisionalAlways)

        device.run { first.watchOffice() }
        device.enterBackground()
        device.terminate(by: .system)
        device.move(to: Place.north(1000))
        device.wait(.seconds(20))
        #expect(device.deliveries.last?.outcome == .held)
        #expect(device.app(as: GeofenceApp.self) == nil)
        #expect(device.isSecondPromptScheduled)

        device.showSecondPrompt()
        #expect(device.prompt?.kind == .second)
        device.answer(agrees ? .changeToAlwaysAllow : .keepOnlyWhileUsing)
        if agrees {
            let second = try #require(device.app(as: GeofenceApp.self))
            #expect(second.heard == ["status 3", "exit office", "state 2 office"])
            #expect(device.deliveries.last?.settled?.relaunch == true)
        } else {
            #expect(device.app(as: GeofenceApp.self) == nil)
            #expect(device.deliveries.last?.settled?.outcome == .dropped)
            device.launch()
            #expect(device.app(as: GeofenceApp.self)?.heard == ["status 4"])
        }
    }

    @Test("is refused its 21st region and keeps the other 20")
    func limit() throws {
        let device = SimulatedDevice(.iPhone(.always), at: Place.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watch(21) }
        #expect(app.heard.filter { $0.hasPrefix("failed") } == ["failed r21 5"])
        #expect(app.monitored.count == 20)
        device.move(to: Place.north(5000), speed: 100)
        device.wait(.seconds(20))
        #expect(app.heard.contains("enter r1"))
    }

    @Test("is refused a radius beyond the maximum, which is not cut down")
    func radius() throws {
        var given = Given.iPhone(.always)
        given.maximumRegionMonitoringDistance = 1000
        let device = SimulatedDevice(given, at: Place.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice(radius: 1001) }
        #expect(app.heard.last == "failed office 5")
        #expect(app.monitored.isEmpty)
    }

    @Test("hears of no crossing with reduced accuracy")
    func reduced() throws {
        var given = Given.iPhone(.always)
        given.accuracy = .reduced
        let device = SimulatedDevice(given, at: Place.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { app.watchOffice() }
        device.move(to: Place.north(1000))
        device.wait(.seconds(20))
        #expect(!app.heard.contains("exit office"))
        #expect(device.deliveries(of: .regionCircular).map(\.outcome) == [.notMonitored])
        #expect(device.deliveries.last?.decidingRule == .relaunch06)
    }

    @Test("goes on tracking in the background if it declares it, and is suspended if not", arguments: [true, false])
    func tracking(inBackground: Bool) throws {
        let device = SimulatedDevice(.iPhone(.whenInUse), at: Place.office)
        let app = try #require(device.launch { GeofenceApp() })
        device.run { inBackground ? app.trackInBackground() : app.track() }
        device.enterBackground()
        device.wait(.seconds(60))
        let before = app.heard.count
        device.move(to: Place.north(140), speed: 14)
        #expect((app.heard.count > before) == inBackground)
        #expect(device.lifecycle == (inBackground ? .backgroundRunning : .suspended))
    }

    @Test("tells the same story twice")
    func repeats() throws {
        func story() throws -> [String] {
            let device = SimulatedDevice(.iPhone(.always), at: Place.office)
            let app = try #require(device.launch { GeofenceApp() })
            device.run {
                app.watch(20)
                app.track()
            }
            device.move(along: [Place.north(20_000), Place.north(7000)], speed: 50)
            return app.heard
        }
        let first = try story()
        #expect(first.count > 400)
        #expect(try story() == first)
    }
}
