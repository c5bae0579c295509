import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("Schedule") struct ScheduleTests {
    /// The independent reference: the local time by Foundation's calendar.
    private func isOpenByCalendar(_ schedule: Schedule, at moment: Timestamp) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = schedule.timeZone
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .weekday], from: date)
        guard let year = parts.year, let month = parts.month, let dayOfMonth = parts.day, let hour = parts.hour,
            let minute = parts.minute, let weekday = parts.weekday
        else { return false }
        let today = Timestamp.days(year: year, month: month, day: dayOfMonth)
        let now = hour * 60 + minute
        let monday0 = (weekday + 5) % 7
        return schedule.weekly.contains { opening in
            let isToday = opening.weekdays.contains(monday0) && !schedule.except.contains(today)
            let wasYesterday = opening.weekdays.contains((monday0 + 6) % 7) && !schedule.except.contains(today - 1)
            if opening.end > opening.start { return isToday && now >= opening.start && now < opening.end }
            return isToday && now >= opening.start || wasYesterday && now < opening.end
        }
    }

    private func randomSchedule(_ random: inout SeededGenerator) -> Schedule {
        let zones = ["Europe/Lisbon", "America/New_York", "Asia/Seoul", "Australia/Lord_Howe", "Pacific/Apia"]
        let zone = TimeZone(identifier: zones.randomElement(using: &random) ?? "UTC") ?? .gmt
        let openings = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            Schedule.Opening(
                weekdays: Set((0..<7).filter { _ in Bool.random(using: &random) }),
                start: .random(in: 0..<1440, using: &random), end: .random(in: 0...1440, using: &random))
        }
        let day = Timestamp.days(year: 2026, month: 3, day: 20)
        return Schedule(
            timeZone: zone, weekly: openings,
            except: Set((0..<3).map { _ in day + Int.random(in: 0..<30, using: &random) }))
    }

    @Test("is open when the calendar says so", arguments: 1...60 as ClosedRange<UInt64>)
    func agreesWithCalendar(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let schedule = randomSchedule(&random)
        for _ in 0..<200 {
            let moment = Timestamp(
                milliseconds: .random(in: 1_772_000_000_000...1_776_500_000_000, using: &random))
            #expect(schedule.isOpen(at: moment) == isOpenByCalendar(schedule, at: moment), "\(moment.rfc3339)")
        }
    }

    @Test("opens and closes at its transitions and nowhere else", arguments: 1...40 as ClosedRange<UInt64>)
    func transitions(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let schedule = randomSchedule(&random)
        var moment = Timestamp(milliseconds: 1_774_000_000_000)
        let end = moment + .seconds(14 * 86_400)
        var transitions: [Timestamp] = []
        while let next = schedule.nextTransition(after: moment), next < end {
            #expect(next > moment)
            transitions.append(next)
            moment = next
        }
        // Every minute of two weeks, daylight saving included.
        var (minute, found) = (Timestamp(milliseconds: 1_774_000_000_000), [Timestamp]())
        minute = Timestamp(milliseconds: minute.milliseconds / 60_000 * 60_000)
        var wasOpen = schedule.isOpen(at: Timestamp(milliseconds: 1_774_000_000_000))
        while minute + .seconds(60) < end {
            minute = minute + .seconds(60)
            let isOpen = schedule.isOpen(at: minute)
            if isOpen != wasOpen { found.append(minute) }
            wasOpen = isOpen
        }
        #expect(transitions.map(\.rfc3339) == found.map(\.rfc3339))
    }
}
