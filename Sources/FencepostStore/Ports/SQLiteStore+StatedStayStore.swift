import FencepostGeometry
import FencepostJSON
public import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: StatedStayStore {
    /// The statements of a device, in the order of time.
    public func statedStays(of device: DeviceID) async throws -> [StatedStay] {
        try await read { try Self.statedStays(of: device, $0) }
    }

    /// Stores a statement and cuts those that it overlaps.
    public func add(_ statement: StatedStay) async throws -> Bool {
        try await write { db in
            let known = try Self.statedStays(of: statement.deviceID, db)
            guard known.count < StatedStay.most else { return false }
            for former in known {
                let parts = former.cut(by: statement)
                guard parts != [former] else { continue }
                try Self.remove(former.id, of: former.deviceID, db)
                for part in parts { try Self.insert(part, db) }
            }
            try Self.insert(statement, db)
            return true
        }
    }

    /// Removes a statement.
    public func removeStatedStay(id: String, of device: DeviceID) async throws -> Bool {
        try await write { db in
            try Self.remove(id, of: device, db)
            return db.changesCount > 0
        }
    }

    private static func statedStays(of device: DeviceID, _ db: Database) throws -> [StatedStay] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT id, arrival, departure, latitude, longitude, name, regions FROM stated_stay WHERE device_id = ?
                ORDER BY arrival
                """, arguments: [device.rawValue]
        ).map { row in
            var site: StatedStay.Site?
            if let latitude = try row[3] as Double?, let longitude = try row[4] as Double? {
                let regions = try JSONDocument(parsing: Array((try row[6] as String).utf8)).root
                site = StatedStay.Site(
                    name: try row[5], coordinate: Coordinate(latitude: latitude, longitude: longitude),
                    regions: regions.array?.compactMap { $0.string.map { RegionID($0) } } ?? [])
            }
            return StatedStay(
                id: try row[0], deviceID: device, arrival: Timestamp(milliseconds: try row[1]),
                departure: Timestamp(milliseconds: try row[2]), site: site)
        }
    }

    private static func insert(_ statement: StatedStay, _ db: Database) throws {
        var writer = JSONWriter()
        writer.beginArray()
        for region in statement.site?.regions ?? [] { writer.value(region.rawValue) }
        writer.endArray()
        try db.execute(
            sql: """
                INSERT INTO stated_stay (device_id, id, arrival, departure, latitude, longitude, name, regions)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                statement.deviceID.rawValue, statement.id, statement.arrival.milliseconds,
                statement.departure.milliseconds, statement.site?.coordinate.latitude,
                statement.site?.coordinate.longitude, statement.site?.name,
                String(decoding: writer.bytes, as: UTF8.self),
            ])
    }

    private static func remove(_ id: String, of device: DeviceID, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM stated_stay WHERE device_id = ? AND id = ?", arguments: [device.rawValue, id])
    }
}
