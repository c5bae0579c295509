import FencepostGeometry
import FencepostModel
import FencepostSimulator
import GRDB

/// Reads the power log of a sysdiagnose, an SQLite database: which services were open, and why processes ended.
///
/// Apple does not document its tables. Tables and columns that are missing are skipped.
enum PowerLog {
    /// The most rows of one table that are read.
    private static let rowLimit = 200_000

    /// The entries about an app.
    ///
    /// - Parameters:
    ///   - path: the database.
    ///   - app: the bundle identifier.
    ///   - name: the file's name, for sources.
    /// - Returns: the entries; `nil` when the file is no database that can be read.
    static func entries(path: String, app: String, name: String) -> [LogEntry]? {
        var configuration = Configuration()
        configuration.readonly = true
        guard let database = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        return try? database.read { db in
            let clock = try Clock(db)
            return try services(db, app, name, clock) + exits(db, app, name, clock)
        }
    }

    private static func services(
        _ db: Database, _ app: String, _ name: String, _ clock: Clock
    ) throws -> [LogEntry] {
        let table = "PLLocationAgent_EventForward_ClientStatus"
        var entries: [LogEntry] = []
        for row in try rows(db, table) {
            let clients = ["BundleId", "Client", "Executable"].compactMap { text(row, $0) }
            guard clients.contains(where: { $0 == app || LocationDaemonLine.app(ofClientKey: $0) == app }),
                let start = number(row, "timestamp"), let service = service(text(row, "Type") ?? "")
            else { continue }
            let source = "\(name):\(table)"
            entries.append(LogEntry(at: clock.time(start), source: source, .started(ServiceObject(service))))
            // Other services outlive the process, and an end of the row is no stop.
            if service == .standardUpdates, let end = number(row, "timestampEnd"), end > start {
                entries.append(
                    LogEntry(at: clock.time(end), source: source, .stopped(service, identifier: nil)))
            }
        }
        return entries
    }

    private static func service(_ type: String) -> Service? {
        let type = type.lowercased()
        if type.contains("significant") { return .significantChange }
        if type.contains("visit") { return .visits }
        // A region of the power log has no identifier, so it stands for every region.
        if type.contains("region") { return .regionCircular }
        return type.contains("location") || type.contains("gps") ? .standardUpdates : nil
    }

    private static func exits(_ db: Database, _ app: String, _ name: String, _ clock: Clock) throws -> [LogEntry] {
        let process = app.split(separator: ".").last.map(String.init) ?? app
        var entries: [LogEntry] = []
        for (table, key, namespace, code) in [
            ("PLApplicationAgent_EventPoint_ApplicationExitReason", "Identifier", "ReasonNamespace", "Reason"),
            ("PLProcessMonitorAgent_EventPoint_ProcessExit", "ProcessName", "ReasonNamespace", "ReasonCode"),
        ] {
            for row in try rows(db, table) {
                guard let who = text(row, key), who == app || who == process, let time = number(row, "timestamp")
                else { continue }
                let cause = ExitReason.cause(namespace: integer(row, namespace), code: integer(row, code))
                entries.append(LogEntry(at: clock.time(time), source: "\(name):\(table)", .terminated(by: cause)))
            }
        }
        return entries
    }

    /// The rows of a table; none when it does not exist.
    private static func rows(_ db: Database, _ table: String) throws -> [Row] {
        guard try db.tableExists(table) else { return [] }
        return try Row.fetchAll(db, sql: "SELECT * FROM \(table) LIMIT \(rowLimit)")
    }

    private static func text(_ row: Row, _ column: String) -> String? {
        guard row.hasColumn(column) else { return nil }
        return String.fromDatabaseValue(row[column] as DatabaseValue)
    }

    /// A number up to the seconds of the year 2100: a damaged value has no time.
    private static func number(_ row: Row, _ column: String) -> Double? {
        real(row, column).flatMap { (0...4_102_444_800).contains($0) ? $0 : nil }
    }

    private static func real(_ row: Row, _ column: String) -> Double? {
        guard row.hasColumn(column) else { return nil }
        return Double.fromDatabaseValue(row[column] as DatabaseValue)
    }

    private static func integer(_ row: Row, _ column: String) -> Int64? {
        guard row.hasColumn(column) else { return nil }
        return Int64.fromDatabaseValue(row[column] as DatabaseValue)
    }

    /// The differences between the power log's clock and the time of day.
    private struct Clock {
        private var offsets: [(from: Double, seconds: Double)] = []

        init(_ db: Database) throws {
            for row in try PowerLog.rows(db, "PLStorageOperator_EventForward_TimeOffset") {
                guard let from = number(row, "timestamp"), let seconds = real(row, "system"), seconds.magnitude < 4e9
                else { continue }
                offsets.append((from, seconds))
            }
            offsets.sort { $0.from < $1.from }
        }

        func time(_ stamp: Double) -> Timestamp {
            let offset = offsets.last { $0.from <= stamp } ?? offsets.first
            return Timestamp(milliseconds: Int64(clamped: (stamp + (offset?.seconds ?? 0)) * 1000))
        }
    }
}
