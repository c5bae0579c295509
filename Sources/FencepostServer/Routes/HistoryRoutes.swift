import FencepostAnalysis
import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostRegions
import FencepostService
import Foundation
import HTTPTypes

/// Routes of what is computed from stored history: timelines, trips and summaries.
extension API {
    var historyRoutes: [Route] { [getTimeline, listTrips, listSummaries, postPresenceQuery] }

    /// The longest period of a request, in days.
    private static let longestPeriod = 400

    static let timeZone = Route.Parameter(
        name: "timeZone", schema: Schema.text,
        text:
            "The IANA name of a time zone, such as Europe/Lisbon. By default that of the service, that of the regions' "
            + "schedules, or UTC.")

    // MARK: Timeline

    private var getTimeline: Route {
        var device = Route.Parameter.deviceID
        device.text = "The device. Required, unless the token is bound to a device."
        return Route(
            method: .get, path: "/v1/timeline", name: "getTimeline",
            summary: "Shows the stays, the visits and the unknown time of a device", tag: "History",
            access: .scope(.read), parameters: [device, .from, .to, Self.timeZone, Self.addresses],
            successes: [.json(Schema.named("Timeline"), "The timeline, cut to the period. By default the last day.")],
            failures: [.notFound],
            partition: .boundDevice,
            handle: { call in
                guard let device = try call.device() else { throw Problem.missingParameter("deviceId") }
                let period = try period(of: call, days: 1)
                let recording = try await StoredHistory(store: store, device: device).read(period, wantsTrips: false)
                let zone = try zone(of: call)
                let wantsAddresses = try call.flag("addresses")
                let outside = recording.timeline.visits.map(\.visit).filter(\.regions.isEmpty)
                let addresses = await addresses(of: outside.map(\.coordinate), if: wantsAddresses)
                return RouteResponse { writer in
                    writer.value(recording.timeline, in: period, timeZone: zone) { writer, visit in
                        if wantsAddresses { writer.member(address: addresses[visit.coordinate]) }
                        if let site = recording.corrections[visit.id]?.site {
                            writer.member("corrected", true)
                            writer.member("name", site.name)
                        }
                    }
                }
            })
    }

    // MARK: Trips

    private var listTrips: Route {
        Route(
            method: .get, path: "/v1/trips", name: "listTrips",
            summary: "Lists the trips that begin in a period, by device and start", tag: "History",
            access: .scope(.read),
            parameters: Route.Parameter.choice + [
                .regionID, .tag, .from, .to,
                Route.Parameter(
                    name: "format", words: TripTexts.Format.self,
                    text: "json by default; csv has no lines, nor has xlsx, an Excel workbook."),
                Self.units, Self.workbookZone, Self.addresses, .order,
            ],
            successes: [
                .json(
                    Schema.list(of: Schema.named("Trip")), "The trips, all on one page. By default of the last 31 days."
                ),
                Route.Success(status: .ok, type: RouteResponse.geoJSON, schema: Schema.object, text: "Lines."),
                Route.Success(status: .ok, type: "text/csv", schema: Schema.string, text: "A row for each trip."),
                Route.Success(
                    status: .ok, type: RouteResponse.workbook, schema: Schema.string, text: "A row for each trip."),
            ],
            failures: [.notFound],
            partition: .trips,
            handle: { call in
                let period = try period(of: call, days: 31)
                let format = try call.word("format", TripTexts.Format.self) ?? .json
                var wording = Table.Wording(
                    zone: try workbookZone(of: call, isWorkbook: format == .xlsx),
                    units: try units(of: call, isWorkbook: format == .xlsx))
                var trips: [Trip] = []
                try await forEachDevice(call) { device in
                    trips += try await StoredHistory(store: store, device: device).read(period, wantsTrips: true).trips
                        .filter {
                            $0.start.time >= period.start && $0.start.time < period.end
                        }
                }
                for regions in [call.query["regionId"].map { [RegionID($0)] }, taggedRegions(of: call)] {
                    guard let wanted = regions.map(Set.init) else { continue }
                    trips.removeAll { wanted.isDisjoint(with: $0.start.regions + $0.end.regions) }
                }
                if try call.order() == .descending { trips.reverse() }
                let wantsAddresses = try call.flag("addresses")
                guard !wantsAddresses || format == .json else {
                    throw Problem.parameter("addresses", "it needs format=json, since the others have no addresses.")
                }
                let outside = wantsAddresses ? trips.flatMap { [$0.start, $0.end] }.filter(\.regions.isEmpty) : []
                let addresses = await addresses(of: outside.map(\.coordinate), if: wantsAddresses)
                if format == .xlsx {
                    (wording.devices, wording.regions) = (try await deviceNames(), regionNames(for: call.caller))
                }
                let texts = trips.map { trip in
                    TripTexts.text(of: trip, format, wording) { writer, end in
                        if wantsAddresses { writer.member(address: addresses[end.coordinate]) }
                    }
                }
                guard !call.isOfFanOut else { return TripTexts.response(texts, of: trips) }
                return try TripTexts.response(texts, format, wording.units)
            })
    }

    // MARK: Summaries

    enum SummaryFormat: String, CaseIterable { case json, csv, xlsx }

    private var listSummaries: Route {
        Route(
            method: .get, path: "/v1/summaries", name: "listSummaries",
            summary: "Adds up time inside, visits, trips and distance by device, group, region or tag", tag: "History",
            access: .scope(.read),
            parameters: [
                Route.Parameter(
                    name: "by", words: SummaryGrouping.self,
                    text: "What the rows are about; device by default."),
                Route.Parameter(
                    name: "period", words: SummaryPeriod.self,
                    text: "day by default. Weeks begin on Monday."),
                Self.timeZone,
                Route.Parameter(
                    name: "dayStartsAt", schema: #"{"type":"string","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$"}"#,
                    text: "The local time at which days, weeks and months begin; 00:00 by default."),
                .deviceID, .group, .name, .regionID, .tag, .from, .to,
                Route.Parameter(
                    name: "format", words: SummaryFormat.self,
                    text: "json by default; csv; or xlsx, an Excel workbook."),
                Self.units,
            ],
            successes: [
                .json(Schema.named("Summary"), "The figures. By default of the last 31 days."),
                Route.Success(status: .ok, type: "text/csv", schema: Schema.string, text: "A row for each period."),
                Route.Success(status: .ok, type: RouteResponse.workbook, schema: Schema.string, text: "A worksheet."),
            ],
            failures: [.notFound],
            partition: .summaries,
            handle: { call in
                let range = try period(of: call, days: 31)
                let format = try call.word("format", SummaryFormat.self) ?? .json
                let units = try units(of: call, isWorkbook: format == .xlsx)
                let regions = monitoring.regions().catalog.regions.map(\.region)
                var builder = SummaryBuilder(
                    by: try call.word("by", SummaryGrouping.self) ?? .device,
                    period: try call.word("period", SummaryPeriod.self) ?? .day, timeZone: try zone(of: call),
                    dayStart: try Self.dayStart(of: call), range: range,
                    tags: Dictionary(regions.map { ($0.id, $0.tags) }) { first, _ in first })
                let groups = try await groups(of: call)
                try await forEachDevice(call) { device in
                    let found = try await StoredHistory(store: store, device: device).read(range, wantsTrips: true)
                    let own = groups.filter { group in group.devices.contains { $0.matches(device.rawValue) } }
                    builder.add(found.timeline, trips: found.trips, groups: own.map(\.tag))
                }
                let summary = try rows(of: builder.finish(), for: call)
                let names = format == .xlsx ? try await names(in: summary, for: call.caller) : [:]
                guard !call.isOfFanOut else { return RouteResponse { $0.value(exact: summary, names: names) } }
                return try Self.response(summary, format, names: names, units: units)
            })
    }

    /// The groups that a summary by group has rows of: those that the caller sees, or the one that the request names.
    private func groups(of call: Call) async throws -> [DeviceGroup] {
        guard call.query["by"] == SummaryGrouping.group.rawValue else { return [] }
        let wanted = call.query["group"]
        return try await store.groups().filter { call.caller.maySee($0) && (wanted == nil || wanted == $0.tag) }
    }

    /// The names of what the rows are about, by id.
    private func names(in summary: Summary, for caller: Caller) async throws -> [String: String] {
        let named: [(String, String)] =
            switch summary.grouping {
            case .tag, .group: []
            case .device: try await deviceNames().map { ($0.key.rawValue, $0.value) }
            case .region: regionNames(for: caller).map { ($0.key.rawValue, $0.value) }
            }
        let ids = Set(summary.rows.map(\.group))
        return Dictionary(uniqueKeysWithValues: named.filter { ids.contains($0.0) })
    }

    /// The names of the devices that have one.
    func deviceNames() async throws -> [DeviceID: String] {
        let named = try await store.profiles().compactMap { profile in profile.name.map { (profile.deviceID, $0) } }
        return Dictionary(named) { first, _ in first }
    }

    /// The names of the regions that have one and that the caller may see.
    func regionNames(for caller: Caller) -> [RegionID: String] {
        let named = monitoring.regions().catalog.regions.map(\.region).filter { caller.visibility.includes($0) }
            .compactMap { region in region.name.map { (region.id, $0) } }
        return Dictionary(named) { first, _ in first }
    }

    /// The rows about the regions that a request names.
    private func rows(of summary: Summary, for call: Call) throws(Problem) -> Summary {
        var groups: Set<String>?
        for (name, tagged) in [("regionId", nil), ("tag", taggedRegions(of: call))] {
            guard let text = call.query[name] else { continue }
            let named: [String]
            switch summary.grouping {
            case .device, .group:
                throw .parameter(
                    name,
                    "it needs by=region\(name == "tag" ? " or by=tag" : ""), since \(summary.grouping.rawValue)s have none."
                )
            case .region: named = tagged?.map(\.rawValue) ?? [text]
            case .tag:
                guard name == "tag" else { throw .parameter(name, "it needs by=region, since tags have none.") }
                named = [text]
            }
            groups = groups.map { $0.intersection(named) } ?? Set(named)
        }
        guard let groups else { return summary }
        return Summary(
            grouping: summary.grouping, period: summary.period, timeZone: summary.timeZone, dayStart: summary.dayStart,
            rows: summary.rows.filter { groups.contains($0.group) })
    }

    /// A summary in a format.
    ///
    /// - Parameters:
    ///   - summary: its rows.
    ///   - format: of a workbook, people read names and units; programs read the others.
    ///   - names: the names of devices or regions, by id.
    ///   - units: the units of distances.
    /// - Returns: JSON, or a file to save.
    /// - Throws: if a workbook cannot be written, for example without memory.
    static func response(
        _ summary: Summary, _ format: SummaryFormat, names: [String: String], units: UnitSystem
    ) throws -> RouteResponse {
        switch format {
        case .json: RouteResponse { $0.value(summary) }
        case .csv: .file(summary.table.csv, type: "text/csv", name: "summary.csv")
        case .xlsx:
            .file(
                bytes: try Table.workbook([summary.workbookTable(names: names, units: units)]),
                type: RouteResponse.workbook, name: "summary.xlsx")
        }
    }

    // MARK: Parameters

    private static let units = Route.Parameter(
        name: "units", words: UnitSystem.self,
        text: "The units of distances and speeds in a workbook; metric by default. Other formats have metres.")

    static let workbookZone = Route.Parameter(
        name: "timeZone", schema: Schema.text,
        text:
            "The IANA name of the time zone of a workbook; by default as for summaries. Other formats have times in UTC."
    )

    func workbookZone(of call: Call, isWorkbook: Bool) throws(Problem) -> TimeZone {
        let zone = try zone(of: call)
        guard isWorkbook || call.query["timeZone"] == nil else {
            throw .parameter("timeZone", "it needs format=xlsx, since the other formats have times in UTC.")
        }
        return zone
    }

    /// The units of a workbook. Other formats have none to choose.
    private func units(of call: Call, isWorkbook: Bool) throws(Problem) -> UnitSystem {
        guard let units = try call.word("units", UnitSystem.self) else { return .metric }
        guard isWorkbook else {
            throw .parameter("units", "it needs format=xlsx, since the other formats have metres and seconds.")
        }
        return units
    }

    /// The period of `from` and `to`; by default the given number of days until now.
    func period(of call: Call, days: Int) throws(Problem) -> TimeSpan {
        let end = try call.time("to") ?? clock.now()
        let start = try call.time("from") ?? end - .seconds(days * 86_400)
        guard start < end else { throw .parameter("from", "it has to be before to.") }
        guard end - start <= .seconds(Self.longestPeriod * 86_400) else {
            throw .parameter("from", "it has to be at most \(Self.longestPeriod) days before to.")
        }
        return TimeSpan(start, end)
    }

    private static func dayStart(of call: Call) throws(Problem) -> DayStart {
        guard let text = call.query["dayStartsAt"] else { return .midnight }
        guard let start = DayStart(text) else {
            throw .parameter("dayStartsAt", "it has to be a time of day from 00:00 to 23:59, such as 04:00.")
        }
        return start
    }

    /// The zone of what names none.
    var defaultZone: TimeZone {
        if let zone = services.zone.current { return zone }
        let zones = Set(monitoring.regions().catalog.regions.compactMap { $0.region.schedule?.timeZone })
        return zones.count == 1 ? zones.first ?? .gmt : .gmt
    }

    func zone(of call: Call) throws(Problem) -> TimeZone {
        guard let name = call.query["timeZone"] else { return defaultZone }
        guard let zone = TimeZone(identifier: name) else {
            throw .parameter("timeZone", "it has to be the IANA name of a time zone, such as Europe/Lisbon.")
        }
        return zone
    }

    /// Calls the body for the devices of the request, or for all devices, by id.
    func forEachDevice(_ call: Call, _ body: (DeviceID) async throws -> Void) async throws {
        for device in devices(of: try await choice(of: call), for: call.caller) { try await body(device) }
    }
}

extension RouteResponse {
    /// A file to save.
    static func file(_ text: String, type: String, name: String) -> RouteResponse {
        file(bytes: Array(text.utf8), type: type, name: name)
    }

    /// A file to save.
    static func file(bytes: [UInt8], type: String, name: String) -> RouteResponse {
        var response = RouteResponse(type: type, bytes: bytes)
        response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }
}
