import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostTesting
import Testing

@testable import FencepostService

/// What a device sends while its stored fixes are evaluated after a release.
@Suite("What a released device sends") struct HistoryFollowTests {
    @Test(
        "is evaluated in the order of a file, whatever its order of arrival", arguments: 1...20 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Some have one time.
        let fixes = (0..<40).map { number in
            Location(
                deviceID: DeviceID("d"),
                timestamp: Timestamp(seconds: 1_777_000_000 + Int64.random(in: 0...30, using: &random)),
                coordinate: Coordinate(latitude: 50 + Double(number) / 1000, longitude: 10))
        }
        var follow = HistoryState.Follow(token: 1, buffer: ReorderBuffer())
        for fix in fixes { follow.insert(fix) }
        #expect(follow.fixes == fixes.sorted { ReorderBuffer.precedes($0, $1) })
        #expect(follow.fixes != fixes)
    }
}
