import FencepostModel
import FencepostService
import Testing

@testable import FencepostWebhooks

@Suite("Endpoint health") struct EndpointHealthTests {
    let start = Timestamp(seconds: 1_772_353_800)

    @Test("reaches the maximum outage after five days of failures, and not a second earlier")
    func fiveDays() {
        var health = EndpointHealth()
        let firstIsTooLong = health.noteFailure(at: start)
        #expect(!firstIsTooLong)
        let halfDayIsTooLong = health.noteFailure(at: start + .seconds(12 * 3600))
        #expect(!halfDayIsTooLong)
        var early = health
        let earlyIsTooLong = early.noteFailure(at: start + .seconds(5 * 86_400 - 1))
        #expect(!earlyIsTooLong)
        let fiveDaysIsTooLong = health.noteFailure(at: start + .seconds(5 * 86_400))
        #expect(fiveDaysIsTooLong)
    }

    @Test("does not reach the maximum outage by two failures with a week without attempts between them")
    func quietWeek() {
        var health = EndpointHealth()
        let oneIsTooLong = health.noteFailure(at: start)
        #expect(!oneIsTooLong)
        let anotherIsTooLong = health.noteFailure(at: start + .seconds(60))
        #expect(!anotherIsTooLong)
        let weekIsTooLong = health.noteFailure(at: start + .seconds(7 * 86_400))
        #expect(!weekIsTooLong)
        let moreIsTooLong = health.noteFailure(at: start + .seconds(7 * 86_400 + 60))
        #expect(moreIsTooLong)
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
