import FencepostCoreLocation

// `SimulatedDevice` exists on Linux and, with the trait, on a Mac.
#if os(Linux) || os(macOS)
    import FencepostSimulator
    import Foundation
    import GeofenceApp
    import XCTest

    /// A test of the place diary for those who use XCTest; `PlaceDiaryTests` has more, with Swift Testing.
    @MainActor final class PlaceDiaryXCTests: XCTestCase {
        private let office = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)

        private func iPhone() -> SimulatedDevice {
            var state = DeviceState()
            state.infoPlist = PropertyKeys([
                "NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription",
            ])
            return SimulatedDevice(state, at: office)
        }

        func testRefusalIsFinal() async throws {
            let device = iPhone()
            let diary = try XCTUnwrap(device.launch { [office] in PlaceDiary(office: office) })
            device.run { diary.open() }
            XCTAssertEqual(device.prompt?.kind, .first)
            device.answer(.dontAllow)
            XCTAssertEqual(diary.permission, .refused)
            device.run { diary.open() }
            XCTAssertNil(device.prompt)
        }

        func testLeavingTheOfficeLaunchesTheAppAfterItsTermination() async throws {
            let device = iPhone()
            let diary = try XCTUnwrap(device.launch { [office] in PlaceDiary(office: office) })
            device.run { diary.open() }
            device.answer(.allowWhileUsing)
            device.run { diary.keepWhileClosed() }
            device.answer(.changeToAlwaysAllow)
            device.enterBackground()
            device.terminate(by: .system)
            await device.move(to: CLLocationCoordinate2D(latitude: 52.538, longitude: 13.405), speed: 5)
            await device.wait(.seconds(20))
            let second = try XCTUnwrap(device.app(as: PlaceDiary.self))
            XCTAssertTrue(second.entries.contains(.left("office")))
        }
    }
#endif
