import FencepostGeometry
import FencepostJSON
public import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: StayCorrectionStore {
    /// The corrections of a device, in the order of time.
    public func stayCorrections(of device: DeviceID) async throws -> [StayCorrection] {
        try await read { try Self.stayCorrections(of: device, $0) }
    }

    /// Stores a correction and cuts those that it overlaps.
    public func add(_ correction: StayCorrection) async throws -> Bool {
        try await write { db in
            let known = try Self.stayCorrections(of: correction.deviceID, db)
            guard known.count < StayCorrection.most else { return false }
            for former in known {
                let parts = former.cut(by: correction)
                guard parts != [former] else { continue }
                try Self.remove(former.id, of: former.deviceID, db)
                for part in parts { try Self.insert(part, db) }
            }
            try Self.insert(correction, db)
            return true
        }
    }

    /// Removes a correction.
    public func removeStayCorrection(id: String, of device: DeviceID) async throws -> Bool {
        try await write { db in
            try Self.remove(id, of: device, db)
            return db.changesCount > 0
        }
    }

    private static func stayCorrections(of device: DeviceID, _ db: Database) throws -> [StayCorrection] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT id, arrival, departure, latitude, longitude, name, regions FROM stay_correction WHERE device_id = ?
                ORDER BY arrival
                """, arguments: [device.rawValue]
        ).map { row in
            var site: StayCorrection.Site?
            if let latitude = try row[3] as Double?, let longitude = try row[4] as Double? {
                let regions = try JSONDocument(parsing: Array((try row[6] as String).utf8)).root
                site = StayCorrection.Site(
                    name: try row[5], coordinate: Coordinate(latitude: latitude, longitude: longitude),
                    regions: regions.array?.compactMap { $0.string.map { RegionID($0) } } ?? [])
            }
            return StayCorrection(
                id: try row[0], deviceID: device, arrival: Timestamp(milliseconds: try row[1]),
                departure: Timestamp(milliseconds: try row[2]), site: site)
        }
    }

    private static func insert(_ correction: StayCorrection, _ db: Database) throws {
        var writer = JSONWriter()
        writer.beginArray()
        for region in correction.site?.regions ?? [] { writer.value(region.rawValue) }
        writer.endArray()
        try db.execute(
            sql: """
                INSERT INTO stay_correction (device_id, id, arrival, departure, latitude, longitude, name, regions)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                correction.deviceID.rawValue, correction.id, correction.arrival.milliseconds,
                correction.departure.milliseconds, correction.site?.coordinate.latitude,
                correction.site?.coordinate.longitude, correction.site?.name,
                String(decoding: writer.bytes, as: UTF8.self),
            ])
    }

    private static func remove(_ id: String, of device: DeviceID, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM stay_correction WHERE device_id = ? AND id = ?", arguments: [device.rawValue, id])
    }
}
