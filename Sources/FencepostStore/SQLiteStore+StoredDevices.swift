public import FencepostModel
import FencepostService
import Foundation
import GRDB

extension SQLiteStore {
    /// The devices that have a state or stored fixes, by the bytes of their ids.
    ///
    /// A service writes the state of a device long after its first fix, so the log is searched too.
    ///
    /// - Throws: when the database cannot be read.
    public func storedDevices() async throws -> [DeviceID] {
        try await read { db in
            var names = Set(try String.fetchAll(db, sql: "SELECT id FROM device"))
            // From device to device in the index, since each has many segments.
            names.formUnion(try String.fetchAll(db, sql: SkipScan.sql("device_id", of: "segment")))
            let rows = try Row.fetchCursor(
                db, sql: "SELECT devices FROM log WHERE position > ? AND count > 0 AND devices IS NOT NULL",
                arguments: [try ArchiveState(db).through])
            while let row = try rows.next() {
                names.formUnion(try DeviceList.decode([UInt8](row[0] as Data)).map(\.rawValue))
            }
            return names.map { DeviceID($0) }.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        }
    }
}
