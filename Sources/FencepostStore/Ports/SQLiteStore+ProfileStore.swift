import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: ProfileStore {
    /// The names and colours of devices, sorted by the bytes of the id.
    public func profiles() async throws -> [DeviceProfile] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT device_id, name, color FROM device_profile ORDER BY device_id").map {
                row in
                DeviceProfile(deviceID: DeviceID(try row[0] as String), name: try row[1], color: try row[2])
            }
        }
    }

    /// Stores a profile in place of the former one; one without name and colour removes it.
    public func save(_ profile: DeviceProfile) async throws {
        try await write { db in
            guard profile.name != nil || profile.color != nil else {
                try db.execute(
                    sql: "DELETE FROM device_profile WHERE device_id = ?", arguments: [profile.deviceID.rawValue])
                return
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO device_profile (device_id, name, color) VALUES (?, ?, ?)",
                arguments: [profile.deviceID.rawValue, profile.name, profile.color])
        }
    }

    /// The names of devices that have one, by id.
    public func deviceNames() async throws -> [String: String] {
        try await profiles().reduce(into: [:]) { names, profile in
            if let name = profile.name { names[profile.deviceID.rawValue] = name }
        }
    }
}
