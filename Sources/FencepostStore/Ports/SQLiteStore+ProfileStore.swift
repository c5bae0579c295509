public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: ProfileStore {
    /// The profiles of devices, sorted by the bytes of the id.
    public func profiles() async throws -> [DeviceProfile] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT device_id, name, color, face IS NOT NULL FROM device_profile ORDER BY device_id"
            ).map { row in
                DeviceProfile(
                    deviceID: DeviceID(try row[0] as String), name: try row[1], color: try row[2], hasFace: try row[3])
            }
        }
    }

    /// Stores a name and a colour in place of the former ones, and leaves the picture.
    public func save(_ profile: DeviceProfile) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO device_profile (device_id, name, color) VALUES (?, ?, ?)
                    ON CONFLICT (device_id) DO UPDATE SET name = excluded.name, color = excluded.color
                    """, arguments: [profile.deviceID.rawValue, profile.name, profile.color])
            try Self.removeEmptyProfile(profile.deviceID, db)
        }
    }

    /// The picture of a device; `nil` for none.
    public func face(of device: DeviceID) async throws -> Face? {
        try await read { db in
            try Data.fetchOne(
                db, sql: "SELECT face FROM device_profile WHERE device_id = ? AND face IS NOT NULL",
                arguments: [device.rawValue]
            ).flatMap { Face(Array($0)) }
        }
    }

    /// Stores a picture in place of the former one; `nil` removes it.
    public func save(_ face: Face?, of device: DeviceID) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO device_profile (device_id, face) VALUES (?, ?)
                    ON CONFLICT (device_id) DO UPDATE SET face = excluded.face
                    """, arguments: [device.rawValue, face.map { Data($0.bytes) }])
            try Self.removeEmptyProfile(device, db)
        }
    }

    /// Removes a profile without a name, a colour and a picture.
    private static func removeEmptyProfile(_ device: DeviceID, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM device_profile WHERE device_id = ? AND name IS NULL AND color IS NULL AND face IS NULL",
            arguments: [device.rawValue])
    }

    /// The pictures of devices that have one, by id.
    public func faces() async throws -> [String: [UInt8]] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT device_id, face FROM device_profile WHERE face IS NOT NULL")
            return Dictionary(
                try rows.map { (try $0[0] as String, Array(try $0[1] as Data)) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// The names of devices that have one, by id.
    public func deviceNames() async throws -> [String: String] {
        try await profiles().reduce(into: [:]) { names, profile in
            if let name = profile.name { names[profile.deviceID.rawValue] = name }
        }
    }
}
