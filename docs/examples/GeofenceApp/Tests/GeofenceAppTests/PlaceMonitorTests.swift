import FencepostCoreLocation

#if canImport(GeofenceApp)
    import GeofenceApp
#endif

// Macs have no sessions (PLAT-22), so the monitor is left out there.
#if os(Linux)
    import FencepostSimulator
    import Testing

    @MainActor @Suite("The place diary on the newer interfaces", .timeLimit(.minutes(1))) struct PlaceMonitorTests {
        private let office = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)
        /// Two kilometres to the north.
        private let park = CLLocationCoordinate2D(latitude: 52.538, longitude: 13.405)

        private func iPhone(_ grant: Grant = .notDetermined, _ version: OSVersion = .newest) -> SimulatedDevice {
            var state = DeviceState()
            (state.osVersion, state.grant) = (version, grant)
            state.infoPlist = PropertyKeys([
                "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
                "UIBackgroundModes:location", "UIApplicationSceneManifest",
            ])
            return SimulatedDevice(state, at: office)
        }

        private func launch(on device: SimulatedDevice, keepsWhileClosed: Bool) throws -> PlaceMonitor {
            let diary = device.launch { [office] in PlaceMonitor(office: office, keepsWhileClosed: keepsWhileClosed) }
            return try #require(diary)
        }

        @Test("asks with a session, and again with one for always")
        func sessionsAsk() async throws {
            let device = iPhone()
            let diary = try launch(on: device, keepsWhileClosed: false)
            device.run { diary.open() }
            #expect(device.prompt?.kind == .first)
            device.answer(.allowWhileUsing)
            #expect(device.grant == .whenInUse)
            device.run { diary.keepWhileClosed() }
            #expect(device.prompt?.kind == .upgrade)
            device.answer(.changeToAlwaysAllow)
            #expect(device.grant == .always)
        }

        @Test("is launched for leaving the office after a force quit, because it held a session for always")
        func relaunch() async throws {
            let device = iPhone(.always)
            _ = try launch(on: device, keepsWhileClosed: true)
            #expect(await device.settle(loops: 1))
            device.enterBackground()
            device.terminate(by: .user)
            await device.move(to: park, speed: 5)
            await device.wait(.seconds(20))
            let exit = try #require(device.deliveries(of: .clMonitorCircular).last)
            #expect(exit.relaunch, "\(exit.because)")
            #expect(exit.rules.contains(.relaunch30) && !exit.warnings.isEmpty, "the answer is disputed")
            let second = try #require(device.app(as: PlaceMonitor.self))
            #expect(await device.settle(loops: 1))
            #expect(second.entries == [.left("office")])
        }

        @Test("is not launched without a session, though the user allowed always")
        func noSession() async throws {
            let device = iPhone(.always)
            _ = try launch(on: device, keepsWhileClosed: false)
            #expect(await device.settle(loops: 1))
            device.enterBackground()
            device.terminate(by: .system)
            await device.move(to: park, speed: 5)
            await device.wait(.seconds(20))
            let exit = try #require(device.deliveries(of: .clMonitorCircular).last)
            #expect(!exit.relaunch)
            #expect(exit.decidingRule == .relaunch12)
        }

        @Test("follows a walk in the background until it ends it")
        func walk() async throws {
            let device = iPhone(.whenInUse)
            let diary = try launch(on: device, keepsWhileClosed: false)
            #expect(await device.settle(loops: 1))
            device.run { diary.startWalk() }
            #expect(await device.settle(loops: 2))
            device.enterBackground()
            await device.move(to: park, speed: 5)
            await device.settle()
            let count = diary.walk.count
            #expect(count > 10)
            #expect(device.state.isInUse)
            device.run { diary.endWalk() }
            #expect(!device.state.isInUse)
        }
    }
#endif
