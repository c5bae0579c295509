import ArgumentParser
import FencepostAppCommands
import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostHistory
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import FencepostStore
import Foundation

/// Lists who was in an area.
struct PresencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presences", abstract: "Lists which devices were in an area in a span of time, and when.",
        discussion: """
            Example:
              fencepost query presences --area Regions/places.geojson --from 2026-03-06T08:00:00Z --to 2026-03-06T10:00:00Z

            The area is a circle, or the one region of a GeoJSON file. The answer is that of the monitor over all stored \
            locations, as if the area were a region. While a service runs on the database, it gives the answer.
            """)

    @OptionGroup var storage: StorageArguments
    @OptionGroup var service: ServiceArguments

    @Option(
        name: .long, help: "A GeoJSON file with a polygon, a multipolygon or a point with a radius.",
        completion: .file())
    var area: String?

    @Option(name: .long, help: "The centre of a circle, such as 38.7124,-9.144.")
    var center: String?

    @Option(name: .long, help: "The radius of the circle in metres.")
    var radius: Double?

    @Option(name: .long, help: "The first time that counts, such as 2026-03-06T08:00:00Z.")
    var from: TimeArgument

    @Option(name: .long, help: "The first time after those that count.")
    var to: TimeArgument

    @Option(name: .long, help: "Only this device, or the devices of a pattern such as vans/*.")
    var device: String?

    @Option(name: .long, help: "Time zone of text output, such as Europe/Lisbon; by default UTC.")
    var timeZone: ZoneArgument?

    @Option(name: .long, help: "text, ndjson or csv; by default text on a terminal, else ndjson.")
    var output: Output?

    enum Output: String, ExpressibleByArgument, CaseIterable { case text, ndjson, csv }

    private static let pageSize = 500

    func validate() throws {
        guard (area == nil) != (center == nil && radius == nil) else {
            throw ValidationError("Name the area by --area, or by --center and --radius.")
        }
        guard area != nil || (center != nil && radius != nil) else {
            throw ValidationError("A circle needs --center and --radius.")
        }
        guard from.time < to.time else { throw ValidationError("--to has to be after --from.") }
    }

    func run() async throws {
        Interrupt.install()
        let region = try region()
        let output = output ?? (Console.isOutputTerminal ? .text : .ndjson)
        var buffer = OutputBuffer()
        if output == .csv { buffer.append(Presence.table(of: []).csv) }
        if output == .text { buffer.append("Presences (times of \((timeZone?.zone ?? .gmt).identifier))\n") }
        let rows: Int
        if let connection = try storage.connection(service) {
            rows = try await ask(connection, region, output, &buffer)
        } else {
            rows = try await read(region, output, &buffer)
        }
        if output == .text, rows == 0 { buffer.append("  none\n") }
        try? buffer.flush()
    }

    // MARK: The area

    private func region() throws -> Region {
        let region = try area.map { try self.region(in: $0) } ?? circle()
        guard region.shape.area <= PresenceQuery.largestArea else {
            Console.say(
                "fencepost: the area has \(Int(clamped: (region.shape.area / 1e6).rounded())) km², and the largest one has "
                    + "\(Int(clamped: PresenceQuery.largestArea / 1e6)) km². Ask about parts of it.")
            throw ExitStatus.badData.exit
        }
        return region
    }

    private func circle() throws -> Region {
        let numbers = (center ?? "").split(separator: ",", omittingEmptySubsequences: false).map {
            Double(String($0).trimmingCharacters(in: .whitespaces))
        }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            Coordinate(latitude: latitude, longitude: longitude).isValid
        else { throw ValidationError("--center has to be a latitude and a longitude, such as 38.7124,-9.144.") }
        guard let radius, radius > 0, radius <= RegionOptions.radiusLimit else {
            throw ValidationError("--radius has to be a number of metres above 0.")
        }
        let circle = Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
        return Region(id: RegionID("query"), shape: .circle(circle))
    }

    /// The one region of a file, without what else the file says of it.
    private func region(in path: String) throws -> Region {
        guard let data = FileManager.default.contents(atPath: path) else {
            Console.say("fencepost: \(path) cannot be read.")
            throw ExitStatus.noInput.exit
        }
        var bytes = Array(data)
        // A bare geometry is an area too.
        if let root = try? JSONDocument(parsing: bytes).root, root["coordinates"] != nil {
            bytes = Array("{\"type\":\"Feature\",\"properties\":{},\"geometry\":\(root.text)}".utf8)
        }
        var options = RegionOptions(limits: .service)
        options.id = RegionID("query")
        var reading = RegionFile.read(bytes, name: path, options: options)
        if reading.diagnostics.contains(where: { $0.code == "id_mismatch" }) {
            reading = RegionFile.read(bytes, name: path, options: RegionOptions(limits: .service))
        }
        let errors = reading.diagnostics.filter { $0.severity == .error }
        for error in errors.prefix(10) { Console.say("\(error)") }
        guard errors.isEmpty, reading.regions.count == 1, let found = reading.regions.first else {
            if errors.isEmpty { Console.say("fencepost: \(path) has \(reading.regions.count) regions, not one.") }
            throw ExitStatus.badData.exit
        }
        if case .corridor = found.shape {
            Console.say(
                "fencepost: \(path) has a line. The area is a polygon, a multipolygon, or a point with a radius.")
            throw ExitStatus.badData.exit
        }
        return Region(id: RegionID("query"), shape: found.shape)
    }

    // MARK: The answer

    /// The answer of a service, page by page.
    private func ask(
        _ service: ServiceConnection, _ region: Region, _ output: Output, _ buffer: inout OutputBuffer
    ) async throws -> Int {
        var writer = JSONWriter()
        writer.value(region)
        let feature = try JSONDocument(parsing: writer.bytes).root
        var body = "{\"geometry\":\(feature["geometry"]?.text ?? "null")"
        if let radius = feature["properties"]?["radius"] { body += ",\"radius\":\(radius.text)" }
        body += ",\"from\":\"\(from.time.rfc3339)\",\"to\":\"\(to.time.rfc3339)\"}"
        var (rows, cursor) = (0, String?.none)
        repeat {
            let query = [("limit", String(Self.pageSize)), ("deviceId", device), ("cursor", cursor)]
            let page = try await service.request(
                "POST", "/v1/query/presences", query: query.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8)
            ).json()
            for row in page["data"]?.array.map(Array.init) ?? [] {
                buffer.append(text(of: StatedPresence(row), row.text, output))
                rows += 1
            }
            try buffer.flushIfLarge()
            cursor = page["nextCursor"]?.string
        } while cursor != nil && !Interrupt.isRequested
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        return rows
    }

    /// The answer of a database that no service uses.
    private func read(_ region: Region, _ output: Output, _ buffer: inout OutputBuffer) async throws -> Int {
        _ = try storage.existingPath()
        let configuration = try storage.configuration()
        let store = try StorageArguments.run { try SQLiteStore(reading: configuration.storage) }
        let query = PresenceQuery(region, settings: configuration.monitor, from: from.time, to: to.time)
        let pattern = device.map { GlobPattern($0) }
        var (rows, cursor) = (0, PresenceQuery.Cursor?.none)
        do {
            repeat {
                let page = try await query.page(of: store, after: cursor, limit: Self.pageSize) {
                    pattern?.matches($0.rawValue) ?? true
                }
                for presence in page.presences {
                    var writer = JSONWriter()
                    writer.value(presence)
                    let text = String(decoding: writer.bytes, as: UTF8.self)
                    buffer.append(self.text(of: StatedPresence(try JSONDocument(parsing: text).root), text, output))
                }
                rows += page.presences.count
                try buffer.flushIfLarge()
                cursor = page.next
            } while cursor != nil && !Interrupt.isRequested
            try store.close()
        } catch let error as StoreError {
            throw StorageArguments.exit(after: error)
        }
        if Interrupt.isRequested { throw ExitStatus.interrupted.exit }
        return rows
    }

    private func text(of presence: StatedPresence, _ json: String, _ output: Output) -> String {
        switch output {
        case .ndjson: json + "\n"
        case .csv: presence.csv
        case .text: presence.line(in: timeZone?.zone ?? .gmt)
        }
    }
}

/// A presence as the API states it.
private struct StatedPresence {
    let row: JSONElement

    init(_ row: JSONElement) { self.row = row }

    private func time(_ name: String) -> Timestamp? { row[name]?.string.flatMap { Timestamp(rfc3339: $0) } }

    private var seconds: Double? {
        guard let arrival = time("arrival"), let departure = time("departure") else { return nil }
        return (departure - arrival).seconds
    }

    /// A line with the columns of `Presence.table(of:)`.
    var csv: String {
        var table = Presence.table(of: [])
        let cells = table.columns.map(\.title).map { name -> Table.Cell in
            if name == "duration" { return seconds.map { .number($0.rounded()) } ?? .empty }
            guard let value = row[name], !value.isNull else { return .empty }
            return value.double.map { .number($0) } ?? .text(value.string ?? "")
        }
        let head = table.csv.count
        table.rows = [cells]
        return String(table.csv.dropFirst(head))
    }

    /// A line for people.
    func line(in zone: TimeZone) -> String {
        let format = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().dateSeparator(.dash)
            .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon)
        func local(_ name: String) -> String {
            guard let time = time(name) else { return "unknown".padding(toLength: 19, withPad: " ", startingAt: 0) }
            let text = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000).formatted(format)
            return String(text.prefix(19))
        }
        var line = "  \(local("arrival")) – "
        line += time("departure") == nil ? "still there        " : local("departure")
        line += "  \(row["deviceId"]?.string ?? "")"
        if let seconds { line += "  \(Prose.duration(seconds: seconds))" }
        let sure = [row["arrivalConfidence"]?.double, row["departureConfidence"]?.double].compactMap { $0 }.min()
        if let sure { line += "  \(Int(clamped: (sure * 100).rounded(.down))) % sure" }
        return line + "\n"
    }
}
