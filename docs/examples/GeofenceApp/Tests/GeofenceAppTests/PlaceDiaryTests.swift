import FencepostCoreLocation

// `SimulatedDevice` exists on Linux and, with the trait, on a Mac.
#if os(Linux) || os(macOS)
    import FencepostSimulator
    import Foundation
    import GeofenceApp
    import Testing

    @MainActor @Suite("The place diary") struct PlaceDiaryTests {
        private let office = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)
        /// Two kilometres to the north.
        private let park = CLLocationCoordinate2D(latitude: 52.538, longitude: 13.405)

        private func iPhone(_ grant: Grant = .notDetermined) -> SimulatedDevice {
            var state = DeviceState()
            state.osVersion = OSVersion(18, 2)
            state.grant = grant
            state.infoPlist = PropertyKeys([
                "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
            ])
            return SimulatedDevice(state, at: office)
        }

        private func launch(on device: SimulatedDevice) throws -> PlaceDiary {
            let diary = device.launch { [office] in PlaceDiary(office: office) }
            return try #require(diary)
        }

        @Test("asks once, and applies the answer", arguments: [true, false])
        func firstPrompt(allows: Bool) throws {
            let device = iPhone()
            let diary = try launch(on: device)
            #expect(diary.permission == .notAsked)
            device.run { diary.open() }
            #expect(device.prompt?.kind == .first)
            #expect(device.prompt?.buttons == [.allowOnce, .allowWhileUsing, .dontAllow])

            device.answer(allows ? .allowWhileUsing : .dontAllow)
            #expect(diary.permission == (allows ? .whileOpen : .refused))
            #expect(device.monitoredRegions == (allows ? ["office"] : []))
            device.run { diary.open() }
            #expect(device.prompt == nil)
        }

        @Test("asks for always with the upgrade prompt, which appears once per installation")
        func upgrade() throws {
            let device = iPhone(.whenInUse)
            let diary = try launch(on: device)
            device.run { diary.keepWhileClosed() }
            #expect(device.prompt?.kind == .upgrade)
            device.answer(.keepOnlyWhileUsing)
            #expect(diary.permission == .whileOpen)
            device.run { diary.keepWhileClosed() }
            #expect(device.prompt == nil)

            device.change(.always)  // in Settings, since the app cannot request it again
            #expect(diary.permission == .always)
        }

        @Test("is launched for leaving the office after a force quit, and records it")
        func relaunch() throws {
            let device = iPhone()
            let first = try launch(on: device)
            device.run { first.open() }
            device.answer(.allowWhileUsing)
            device.run { first.keepWhileClosed() }
            device.answer(.changeToAlwaysAllow)

            device.enterBackground()
            device.terminate(by: .user)  // swiped away
            #expect(device.app(as: PlaceDiary.self) == nil)
            device.move(to: park, speed: 5)
            device.wait(.seconds(20))

            let exit = try #require(device.deliveries(of: .regionCircular).last)
            #expect(exit.relaunch, "\(exit.because)")
            #expect(exit.decidingRule == .relaunch04)
            #expect(exit.rules.contains(.relaunch08), "the force quit was evaluated")
            let second = try #require(device.app(as: PlaceDiary.self))
            #expect(second !== first)
            #expect(second.entries.contains(.left("office")))
        }

        @Test("is not launched while its user allows only use of the app")
        func noRelaunch() throws {
            let device = iPhone(.whenInUse)
            _ = try launch(on: device)
            device.enterBackground()
            device.terminate(by: .user)
            device.move(to: park, speed: 5)
            device.wait(.seconds(20))
            let exit = try #require(device.deliveries(of: .regionCircular).last)
            #expect(!exit.relaunch)
            #expect(device.launches == 0)
            #expect(device.lifecycle == .terminated)
        }

        @Test("can ask again after Allow Once has expired")
        func allowOnce() throws {
            let device = iPhone()
            let diary = try launch(on: device)
            device.run { diary.open() }
            device.answer(.allowOnce)
            #expect(diary.permission == .whileOpen)

            device.enterBackground()
            device.wait(.seconds(60))
            #expect(device.grant == .notDetermined)
            device.enterForeground()
            #expect(diary.permission == .notAsked)
            device.run { diary.open() }
            #expect(device.prompt?.kind == .first)
        }
    }
#endif
