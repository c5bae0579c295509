import FencepostAnalysis
import FencepostFormats
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes

/// The route of the rounds of a plan: what became known of each place, by date and device.
extension API {
    /// The most dates of a request, and the most rows of a response.
    private static let mostDates = 92
    private static let mostRows = 100_000
    private static let pageOfEvents = 2000

    var listRounds: Route {
        func day(_ name: String, _ text: String) -> Route.Parameter {
            Route.Parameter(name: name, schema: #"{"type":"string","format":"date"}"#, text: text)
        }
        return Route(
            method: .get, path: "/v1/plans/{id}/rounds", name: "listRounds",
            summary: "Lists the rounds of a plan by date and device, with the verdict on each place", tag: Self.planTag,
            access: .scope(.read),
            parameters: [
                .id("plan"), day("from", "The first date, in the zone of the plan; today by default."),
                day("to", "The last date, inclusive; that of from by default. At most 92 dates."),
            ] + Route.Parameter.choice + [
                Route.Parameter(
                    name: "format", words: RoundTexts.Format.self,
                    text: "json by default; csv and xlsx, an Excel workbook, have a row for each place."),
                Self.workbookZone,
            ],
            successes: [
                .json(Schema.list(of: Schema.named("Round")), "The rounds, all on one page."),
                Route.Success(status: .ok, type: "text/csv", schema: Schema.string, text: "A row for each place."),
                Route.Success(
                    status: .ok, type: RouteResponse.workbook, schema: Schema.string, text: "A row for each place."),
            ],
            failures: [.notFound],
            partition: .rounds,
            handle: { call in
                let format = try call.word("format", RoundTexts.Format.self) ?? .json
                let zone = try workbookZone(of: call, isWorkbook: format == .xlsx)
                let rounds = try await rounds(of: call)
                guard let file = RoundTexts.FileFormat(rawValue: format.rawValue) else {
                    return call.page(rounds, next: nil) { $0.value($1) }
                }
                var wording = Table.Wording(zone: zone, units: .metric)
                if file == .xlsx {
                    (wording.devices, wording.regions) = (try await deviceNames(), regionNames(for: call.caller))
                }
                let rows = RoundTexts.rows(of: rounds, file, wording)
                guard !call.isOfFanOut else { return RoundTexts.response(rows) }
                return try RoundTexts.file(rows.map(\.text), file)
            })
    }

    private func rounds(of call: Call) async throws -> [PlanRound] {
        let (choice, now) = (try await choice(of: call), clock.now())
        guard let stored = try await storedPlan(call), let last = stored.versions.last else {
            throw Problem.notFound("plan")
        }
        let groups = Dictionary(
            try await store.groups().map { ($0.tag, $0.devices) }, uniquingKeysWith: { first, _ in first })
        let versions = stored.versions.map { $0.resolved(in: groups) }
        let days = try days(of: call, today: last.day(of: now))
        var verdicts: [PlanRound.Verdict] = []
        // A window may end on the next day, and the grace is over half a day later.
        let margin = Duration.seconds(3 * 86_400)
        var filter = HistoryFilter()
        (filter.deviceID, filter.chosen) = (choice.device, choice.patterns)
        filter.devices = call.caller.visibility.devices
        filter.types = [GlobPattern("plan.*")]
        filter.from = Timestamp(milliseconds: Int64(days.lowerBound) * 86_400_000) - margin
        filter.to = Timestamp(milliseconds: Int64(days.upperBound + 1) * 86_400_000) + margin
        filter.holdsOnly = true
        filter.origins = [.live, .history, .correction]
        var cursor: TimeCursor?
        while true {
            let page = try await store.events(
                filter, after: cursor, limit: Self.pageOfEvents, order: .ascending)
            for row in page {
                guard let event = row.event.message?.event, let verdict = PlanRound.Verdict(event),
                    verdict.report.plan == stored.id, call.caller.maySee(verdict.deviceID)
                else { continue }
                verdicts.append(verdict)
            }
            guard page.count == Self.pageOfEvents, let end = page.last else { break }
            cursor = TimeCursor(timestamp: end.event.timestamp, number: end.number)
        }
        let known = devices(of: choice, for: call.caller)
        let others = Set(verdicts.map(\.deviceID)).subtracting(known)
        let rounds = PlanRound.rounds(
            of: versions, on: days, (known + others).sorted { $0.rawValue < $1.rawValue }, verdicts, at: now)
        guard rounds.reduce(0, { $0 + $1.stops.count }) <= Self.mostRows else {
            throw Problem.parameter(
                "from",
                "it has to be nearer to \"to\": the rounds have more than \(Self.mostRows) places. A device or a group narrows "
                    + "them too.")
        }
        return rounds
    }

    private func days(of call: Call, today: Int) throws(Problem) -> ClosedRange<Int> {
        func day(_ name: String) throws(Problem) -> Int? {
            guard let text = call.query[name] else { return nil }
            guard let day = Timestamp.day(date: text) else {
                throw .parameter(name, "it has to be a date such as 2026-03-07.")
            }
            return day
        }
        let to = try day("to")
        let from = try day("from") ?? to ?? today
        let end = to ?? from
        guard from <= end else { throw .parameter("from", "it has to be on or before \"to\".") }
        guard end - from < Self.mostDates else {
            throw .parameter("from", "it has to be nearer to \"to\": at most \(Self.mostDates) dates.")
        }
        return from...end
    }
}
