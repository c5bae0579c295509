import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostMonitor

@Suite("Evidence at its ends") struct ValueEndTests {
    private static let ends = [
        -0.0, 0, .leastNonzeroMagnitude, 1, 150, 20_000_000, 1e155, 1e300, .greatestFiniteMagnitude, .infinity, .nan,
    ]

    @Test("leaves every presence with a state", arguments: ends, ends) func presence(accuracy: Double, other: Double) {
        let fix = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000),
            coordinate: Coordinate(latitude: 0, longitude: 0))
        for start in [ConfirmedPresence.Start.unknown, .inside(since: .distantPast), .outside(since: .distantPast)] {
            for flag in [FixEvidence.Flag.leap, nil] {
                var presence = ConfirmedPresence(start)
                for distance in [other, -other, 0] {
                    var evidence = FixEvidence(
                        accuracy: accuracy, outlierProbability: 0.9, weight: other, interval: other,
                        motionProbability: 0.5, searchRadius: max(150, accuracy), flag: flag)
                    evidence.averageSpeed = accuracy
                    evidence.silence = other
                    let proximity = Proximity(
                        region: RegionHandle(0), covers: false, signedDistance: distance, width: other)
                    _ = presence.handle(proximity, fix, evidence)
                    _ = presence.untrustedFixEnds(isConfirmed: true, untrusted: fix.timestamp, fix)
                    if let deadline = presence.deadline { _ = presence.deadlineReached(deadline) }
                }
            }
        }
    }

    @Test("leaves every offset within its two bytes", arguments: ends) func offset(metres: Double) {
        for number in [metres, -metres] {
            let offset = FixTrust.Offset(east: number, north: -number)
            #expect(offset != .none && offset.east.magnitude <= 32_767)
        }
    }
}
