import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

@Suite("Endpoint health") struct EndpointHealthTests {
    let start = Timestamp(seconds: 1_772_353_800)

    /// Counts failures at these seconds after the start, and returns what the last one said.
    private func isTooLong(_ health: inout EndpointHealth, after seconds: [Int64]) -> Bool {
        seconds.map { health.noteFailure(at: start + .seconds($0)) }.last ?? false
    }

    private let day: Int64 = 86_400

    @Test("reaches the maximum outage after five days of failures, and not a second earlier")
    func fiveDays() {
        var early = EndpointHealth()
        let fourDays = (0...4).map { $0 * day }
        let earlyIsTooLong = isTooLong(&early, after: fourDays + [5 * day - 1])
        #expect(!earlyIsTooLong)
        var health = EndpointHealth()
        let fiveDaysIsTooLong = isTooLong(&health, after: fourDays + [5 * day])
        #expect(fiveDaysIsTooLong)
    }

    @Test("counts a week without attempts as one day of an outage")
    func quietWeek() {
        var health = EndpointHealth()
        let weekIsTooLong = isTooLong(&health, after: [0, 60, 7 * day, 7 * day + 60])
        #expect(!weekIsTooLong)
        #expect(health.firstFailure == start + .seconds(6 * day - 60))
        let moreIsTooLong = isTooLong(&health, after: [8 * day, 9 * day, 10 * day, 11 * day])
        #expect(moreIsTooLong)
    }

    @Test("does not become longer by a clock that is set", arguments: [-400, 6, 400] as [Int64])
    func clock(days: Int64) {
        var health = EndpointHealth()
        let hour: Int64 = 3600
        let isTooLong = isTooLong(
            &health, after: [0, 13 * hour, 13 * hour + days * day, 14 * hour + days * day, 20 * hour + days * day])
        #expect(!isTooLong)
        let length = start + .seconds(20 * hour + days * day) - (health.firstFailure ?? start)
        #expect(length <= .seconds(20 * hour + day) && length >= .seconds(20 * hour))
    }

    @Test("starts a new outage after a success")
    func success() {
        var health = EndpointHealth()
        _ = health.noteFailure(at: start)
        _ = health.noteFailure(at: start + .seconds(86_400))
        health.noteSuccess(at: start + .seconds(90_000))
        #expect(health.consecutiveFailures == 0 && health.firstFailure == nil)
        let lateIsTooLong = health.noteFailure(at: start + .seconds(6 * 86_400))
        #expect(!lateIsTooLong)
        let laterIsTooLong = health.noteFailure(at: start + .seconds(6 * 86_400 + 60))
        #expect(!laterIsTooLong)
    }
}
