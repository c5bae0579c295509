import FencepostAnalysis
import FencepostFormats
import FencepostGeometry
import FencepostHTTP
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import HTTPTypes

/// The route of visits: pages of JSON, and files with all visits of a period.
extension API {
    private static let pageOfVisits = 2000

    var listVisits: Route {
        Route(
            method: .get, path: "/v1/visits", name: "listVisits", summary: "Lists visits by their arrivals",
            tag: "Events", access: .scope(.read),
            parameters: Route.Parameter.choice + [
                .regionID, .tag, .from, .to, API.addresses, .order,
                Route.Parameter(
                    name: "format", words: VisitTexts.Format.self,
                    text: "json by default, in pages. csv and xlsx, an Excel workbook, are files with all visits of a "
                        + "period, by default of the last 31 days."),
                Self.workbookZone,
            ] + Route.Parameter.paging,
            successes: [
                .json(Schema.list(of: Schema.named("Visit")), "A page of visits."),
                Route.Success(status: .ok, type: "text/csv", schema: Schema.string, text: "A row for each visit."),
                Route.Success(
                    status: .ok, type: RouteResponse.workbook, schema: Schema.string, text: "A row for each visit."),
            ],
            failures: [.notFound],
            partition: .visits,
            handle: { call in
                let format = try call.word("format", VisitTexts.Format.self) ?? .json
                let zone = try workbookZone(of: call, isWorkbook: format == .xlsx)
                guard let file = VisitTexts.FileFormat(rawValue: format.rawValue) else {
                    return try await pageOfVisits(call)
                }
                return try await fileOfVisits(call, file, zone)
            })
    }

    private func pageOfVisits(_ call: Call) async throws -> RouteResponse {
        let (limit, order) = (try call.limit(), try call.order())
        let found = try await store.visits(
            try await filter(of: call), after: try call.cursor { Cursor.time($0, order) }, limit: limit + 1,
            order: order)
        let next = Cursor.next(found, limit, order, \.position)
        let wantsAddresses = try call.flag("addresses")
        let positions = found.prefix(limit).map { wantsAddresses ? $0.visit.positionOutsideRegions : nil }
        let addresses = await addresses(of: positions.compactMap { $0 }, if: wantsAddresses)
        return call.page(
            zip(found, positions), next: next,
            cursors: found.prefix(limit).map { Cursor.encode($0.position, order) }
        ) { writer, element in
            let (visit, position) = (element.0.visit, element.1)
            guard wantsAddresses else { return writer.raw(visit.body) }
            let address = position.flatMap { addresses[$0]?.place?.name }
            var text = JSONWriter()
            if let address { text.value(address) } else { text.null() }
            let member = ",\"address\":" + String(decoding: text.bytes, as: UTF8.self)
            writer.raw(visit.body.appendingMembers(member))
        }
    }

    private func fileOfVisits(
        _ call: Call, _ format: VisitTexts.FileFormat, _ zone: TimeZone
    ) async throws -> RouteResponse {
        for name in ["limit", "cursor"] where call.query[name] != nil {
            throw Problem.parameter(name, "it needs format=json, since a file has all visits of the period.")
        }
        guard try !call.flag("addresses") else {
            throw Problem.parameter("addresses", "it needs format=json, since files have no addresses.")
        }
        let (period, order) = (try period(of: call, days: 31), try call.order())
        var filter = try await filter(of: call)
        (filter.from, filter.to) = (period.start, period.end)
        var wording = Table.Wording(zone: zone, units: .metric)
        if format == .xlsx {
            (wording.devices, wording.regions) = (try await deviceNames(), regionNames(for: call.caller))
        }
        var (rows, cursor): ([VisitTexts.Row], TimeCursor?) = ([], nil)
        while true {
            let page = try await store.visits(filter, after: cursor, limit: Self.pageOfVisits, order: order)
            let visits = page.compactMap { stored in
                Visit(stored: stored.visit).map { (stored.visit.start, DeviceVisit($0, of: stored.deviceID)) }
            }
            let texts = VisitTexts.texts(of: visits.map(\.1), format, wording)
            rows += zip(visits, texts).map { VisitTexts.Row(start: $0.0, text: $1) }
            try VisitTexts.check(rows.count)
            guard page.count == Self.pageOfVisits, let last = page.last else { break }
            cursor = last.position
        }
        guard !call.isOfFanOut else { return VisitTexts.response(rows) }
        return try VisitTexts.file(rows.map(\.text), format)
    }
}

extension StoredVisit {
    /// Its place in the list.
    fileprivate var position: TimeCursor { TimeCursor(timestamp: visit.start, number: number) }
}

extension NewVisit {
    /// Where the visit was; `nil` when it was in a region, whose name people know.
    fileprivate var positionOutsideRegions: Coordinate? {
        regionIDs.isEmpty ? Visit(stored: self)?.coordinate : nil
    }
}
