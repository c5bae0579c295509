import ArgumentParser
import FencepostAnalysis
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostGEOS
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import Foundation

/// Reports time in regions and visits by device and day, and the quality of the data.
struct Report: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reports time in regions and visits by device and day, and data quality.",
        discussion: """
            Example:
              fencepost report --regions Regions Regions/tracks/day.ndjson

            CSV contains the time in regions and the unknown time; JSON and text also contain visits \
            and data quality. --by and --period give the figures of the route /v1/summaries.
            """)

    @OptionGroup var regionArguments: RegionArguments
    @OptionGroup var monitor: MonitorArguments

    @Option(
        name: .long,
        help: "Time zone of the days; by default that of the regions' schedules, or the machine's.")
    var timeZone: ZoneArgument?

    @Option(name: .long, help: "The local time at which days, weeks and months begin, such as 04:00; default 00:00.")
    var dayStartsAt: DayStart?

    @OptionGroup var unitArguments: UnitArguments

    @Option(
        name: .long,
        help: "Time inside, visits, trips and distance by device, region or tag, instead of time by device and region.")
    var by: SummaryGrouping?

    @Option(name: .long, help: "The periods of --by: day, week or month.")
    var period: SummaryPeriod?

    @Option(name: .long, help: "text, csv, json or xlsx; by default text on a terminal, else json.")
    var output: Output?

    @OptionGroup var input: InputArguments

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, csv, json, xlsx }

    func validate() throws {
        guard by != .group else {
            throw ValidationError("--by group: files have no groups. GET /v1/summaries?by=group of a service has.")
        }
    }

    func run() throws {
        Interrupt.install()
        let setup = try regionArguments.load(for: input.files.isEmpty ? nil : monitor)
        let zone = timeZone?.zone ?? setup.commonTimeZone
        let isSummary = by != nil || period != nil
        let run = try HistoryRun(setup, monitor, input, needsVisits: isSummary)
        var buffer = OutputBuffer()
        if isSummary {
            buffer.bytes += try summary(run, setup, zone)
        } else {
            var report = TimeReport(timeZone: zone, dayStart: dayStartsAt ?? .midnight)
            for device in run.devices { report.add(device.timeline) }
            let visits = run.devices.flatMap { device in
                device.timeline.visits.map { (device: device.timeline.device, visit: $0.visit) }
            }
            let document = ReportDocument(
                zone: zone, rows: report.sortedRows(), days: report.sortedDays(), visits: visits, quality: run.quality,
                rejected: run.reader.rejected, tooSmall: try Self.tooSmall(run.index, run.quality),
                names: setup.regionNames, units: unitArguments.system(setup.configuration))
            switch output ?? (Console.isOutputTerminal ? .text : .json) {
            case .text: buffer.append(Prose.fitted(document.text, width: Console.outputWidth))
            case .csv: buffer.append(document.table.csv)
            case .json: buffer.bytes += document.json
            case .xlsx:
                let wording = Table.Wording(zone: zone, units: document.units, regions: setup.regionNames)
                buffer.bytes += try Table.workbook([
                    document.workbookTable, Trip.workbookTable(of: run.devices.flatMap(\.trips), wording),
                ])
            }
        }
        try? buffer.flush()
        try run.finish(input)
    }

    /// The figures of `GET /v1/summaries`, for the files.
    private func summary(_ run: HistoryRun, _ setup: MonitorSetup, _ zone: TimeZone) throws -> [UInt8] {
        let tags = Dictionary(setup.catalog.regionsWithoutShapes.map { ($1.id, $1.tags) }) { first, _ in first }
        var builder = SummaryBuilder(
            by: by ?? .device, period: period ?? .day, timeZone: zone, dayStart: dayStartsAt ?? .midnight,
            tags: tags)
        for device in run.devices { builder.add(device.timeline, trips: device.trips) }
        let summary = builder.finish()
        switch output ?? (Console.isOutputTerminal ? .text : .json) {
        case .csv: return Array(summary.table.csv.utf8)
        case .xlsx:
            let names = summary.grouping == .region ? setup.regionNames.map { ($0.key.rawValue, $0.value) } : []
            let table = summary.workbookTable(
                names: Dictionary(uniqueKeysWithValues: names), units: unitArguments.system(setup.configuration))
            return try Table.workbook([table])
        case .json:
            var writer = JSONWriter()
            writer.value(summary)
            writer.newline()
            return writer.bytes
        case .text:
            let units = unitArguments.system(setup.configuration)
            var text = "By \(summary.grouping.rawValue) and \(summary.period.rawValue) (\(zone.identifier))\n"
            let width = max(summary.rows.map(\.group.count).max() ?? 0, 8)
            for row in summary.rows {
                let group = row.group.padding(toLength: width, withPad: " ", startingAt: 0)
                let span = Prose.duration(seconds: row.insideSeconds).padding(toLength: 12, withPad: " ", startingAt: 0)
                text += "  \(row.date)  \(group)  inside \(span)  \(Prose.count(row.visits, "visit"))"
                text += "  \(Prose.count(row.trips, "trip"))  \(units.longDistance(row.distance))"
                if let unknown = row.unknownSeconds, unknown >= 60 {
                    text += "  unknown \(Prose.duration(seconds: unknown))"
                }
                text += "\n"
            }
            return Array(Prose.fitted(text, width: Console.outputWidth).utf8)
        }
    }

    /// Regions with a smaller radius than the typical accuracy of the data: their crossings are unreliable.
    private static func tooSmall(_ index: RegionIndex, _ quality: [DeviceID: TrackQuality]) throws -> [RegionID] {
        guard let accuracy = quality.values.compactMap(\.typicalAccuracy).min() else { return [] }
        var query = RegionQuery(index)
        return try index.catalog.regions.filter { try query.width(of: $0.handle) < accuracy }.map(\.region.id).sorted()
    }
}

/// Formats a report as text, CSV or JSON.
private struct ReportDocument {
    let zone: TimeZone
    let rows: [TimeReport.Row]
    let days: [TimeReport.Day]
    let visits: [(device: DeviceID, visit: Visit)]
    let quality: [DeviceID: TrackQuality]
    let rejected: Int
    let tooSmall: [RegionID]
    /// Names of regions, for people.
    let names: [RegionID: String]
    let units: UnitSystem

    private func label(_ region: RegionID) -> String { names[region] ?? region.rawValue }

    private var devices: [DeviceID] { quality.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Days of which something is unknown.
    private var unknownDays: [TimeReport.Day] { days.filter { $0.unknownSeconds > 0 } }

    var table: Table {
        Table(
            name: "Time in regions", columns: ["deviceId", "day", "regionId", "seconds", "visits", "kind"],
            rows: rows.map { row in
                [
                    .text(row.deviceID.rawValue), .text(row.day), row.region.map { .text($0.rawValue) } ?? .empty,
                    .number(row.seconds.rounded()), .number(Double(row.visits)),
                    .text(row.region == nil ? "outside" : "region"),
                ]
            }
                + unknownDays.map { day in
                    [
                        .text(day.deviceID.rawValue), .text(day.day), .empty, .number(day.unknownSeconds.rounded()),
                        .number(0), .text("unknown"),
                    ]
                })
    }

    /// The rows for people, without totals: regions overlap, and unknown time is among them.
    var workbookTable: Table {
        Table(
            name: "Time in regions",
            columns: [
                "Device", Table.Column("Date", .date), "Region", "Region ID",
                Table.Column("Time", .duration), "Visits", "Kind",
            ],
            rows: rows.map { row in
                [
                    .text(row.deviceID.rawValue), .date(row.day), row.region.map { .text(label($0)) } ?? .empty,
                    row.region.map { .text($0.rawValue) } ?? .empty, .duration(row.seconds),
                    .number(Double(row.visits)),
                    .text(row.region == nil ? "Outside" : "Region"),
                ]
            }
                + unknownDays.map { day in
                    [
                        .text(day.deviceID.rawValue), .date(day.day), .empty, .empty, .duration(day.unknownSeconds),
                        .number(0), .text("Unknown"),
                    ]
                })
    }

    var text: String {
        var text = "Time in regions (days of \(zone.identifier))\n"
        let width = max(rows.map(\.deviceID.rawValue.count).max() ?? 0, 8)
        for row in rows {
            let device = row.deviceID.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            let span = Prose.duration(seconds: row.seconds).padding(toLength: 12, withPad: " ", startingAt: 0)
            let visits = row.visits > 0 ? "  " + Prose.count(row.visits, "visit") : ""
            text += "  \(row.day)  \(device)  \(span)  \(row.region.map(label) ?? "outside all regions")\(visits)\n"
        }
        if !unknownDays.isEmpty {
            text += "\nUnknown time\n"
            for day in unknownDays {
                let device = day.deviceID.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
                text += "  \(day.day)  \(device)  \(Prose.duration(seconds: day.unknownSeconds))\n"
            }
        }
        text += "\nData quality\n"
        for device in devices {
            guard let quality = quality[device] else { continue }
            var parts = [Prose.count(quality.locations, "location")]
            if quality.late > 0 { parts.append("\(quality.late) late") }
            if quality.ahead > 0 { parts.append("\(quality.ahead) ahead of the clock") }
            if quality.duplicates > 0 { parts.append(Prose.count(quality.duplicates, "duplicate")) }
            if quality.gaps > 0 {
                let longest = Prose.duration(seconds: quality.longestGap.seconds)
                parts.append("\(Prose.count(quality.gaps, "gap")) over 15 min, the longest \(longest)")
            }
            if quality.clockJumps > 0 { parts.append(Prose.count(quality.clockJumps, "clock jump")) }
            if quality.impossibleSpeeds > 0 { parts.append(Prose.count(quality.impossibleSpeeds, "impossible speed")) }
            if quality.secondPhoneFixes > 0 {
                parts.append("\(Prose.count(quality.secondPhoneFixes, "step")) as of two phones under one id")
            }
            parts.append(
                quality.typicalAccuracy.map { "half within \(units.length($0)) or better" } ?? "accuracy mostly unknown"
            )
            text += "  \(device.rawValue.padding(toLength: width, withPad: " ", startingAt: 0))  "
            text += parts.joined(separator: ", ") + "\n"
        }
        if rejected > 0 { text += "  \(Prose.count(rejected, "record")) rejected\n" }
        if !tooSmall.isEmpty {
            let names = tooSmall.prefix(10).map(label).joined(separator: ", ")
            text += "  regions too small for the accuracy of the data: \(names)\(tooSmall.count > 10 ? " …" : "")\n"
        }
        return text
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("timeZone")
        writer.value(zone.identifier)
        writer.name("timeInRegions")
        writer.beginArray()
        for row in rows {
            writer.beginObject()
            writer.name("deviceId")
            writer.value(row.deviceID.rawValue)
            writer.name("day")
            writer.value(row.day)
            writer.name("regionId")
            if let region = row.region { writer.value(region.rawValue) } else { writer.null() }
            writer.name("seconds")
            writer.value(row.seconds.rounded())
            writer.name("visits")
            writer.value(row.visits)
            writer.endObject()
        }
        writer.endArray()
        writer.name("knownTime")
        writer.beginArray()
        for day in days {
            writer.beginObject()
            writer.name("deviceId")
            writer.value(day.deviceID.rawValue)
            writer.name("day")
            writer.value(day.day)
            writer.name("secondsKnown")
            writer.value(day.knownSeconds.rounded())
            writer.name("secondsUnknown")
            writer.value(day.unknownSeconds.rounded())
            writer.endObject()
        }
        writer.endArray()
        writer.name("visits")
        writer.beginArray()
        for (device, visit) in visits {
            writer.beginObject()
            writer.name("deviceId")
            writer.value(device.rawValue)
            writer.name("visit")
            writer.value(visit)
            writer.endObject()
        }
        writer.endArray()
        writer.name("quality")
        writer.beginArray()
        for device in devices { quality[device].map { encode($0, of: device, into: &writer) } }
        writer.endArray()
        writer.name("rejected")
        writer.value(rejected)
        writer.name("regionsTooSmall")
        writer.beginArray()
        for id in tooSmall { writer.value(id.rawValue) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return writer.bytes
    }

    private func encode(_ quality: TrackQuality, of device: DeviceID, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("deviceId")
        writer.value(device.rawValue)
        for (name, moment) in [("first", quality.first), ("last", quality.last)] {
            guard let moment else { continue }
            writer.name(name)
            writer.value(moment.rfc3339)
        }
        for (name, value) in [
            ("locations", quality.locations), ("late", quality.late), ("ahead", quality.ahead),
            ("duplicates", quality.duplicates),
            ("holes", quality.gaps), ("clockJumps", quality.clockJumps),
            ("impossibleSpeeds", quality.impossibleSpeeds), ("secondPhone", quality.secondPhoneFixes),
            ("unknownAccuracy", quality.unknownAccuracy),
        ] {
            writer.name(name)
            writer.value(value)
        }
        writer.name("longestHoleSeconds")
        writer.value(quality.longestGap.seconds)
        writer.name("secondsInHoles")
        writer.value(quality.secondsInGaps)
        writer.name("accuracyHistogram")
        writer.beginArray()
        for (index, count) in quality.accuracies.enumerated() {
            writer.beginObject()
            writer.name("upTo")
            if index < TrackQuality.accuracyClasses.count {
                writer.value(TrackQuality.accuracyClasses[index])
            } else {
                writer.null()
            }
            writer.name("locations")
            writer.value(count)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
