public import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: AddressStore {
    /// The answer for a key that was stored after a time; `nil` for none.
    public func address(_ key: AddressKey, storedAfter time: Timestamp) async throws -> GeocoderAnswer? {
        try await read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT place FROM address
                        WHERE source = ? AND latitude = ? AND longitude = ? AND stored_at > ?
                        """),
                arguments: [key.source, key.latitude, key.longitude, time.milliseconds])
            guard let row else { return nil }
            guard let text = try row[0] as String? else { return .nothing }
            return .place(try JSONColumn.decode(GeocodedPlace.self, text))
        }
    }

    /// Stores an answer, and removes those that were stored before a time.
    public func save(
        _ answer: GeocoderAnswer, for key: AddressKey, at time: Timestamp, removingBefore oldest: Timestamp
    ) async throws {
        let place = try answer.place.map { try JSONColumn.encode($0) }
        try await write { db in
            try db.cachedStatement(sql: "DELETE FROM address WHERE stored_at < ?")
                .execute(arguments: [oldest.milliseconds])
            try db.cachedStatement(
                sql: """
                    INSERT INTO address (source, latitude, longitude, stored_at, place) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (source, latitude, longitude) DO UPDATE
                      SET stored_at = excluded.stored_at, place = excluded.place
                    """
            ).execute(arguments: [key.source, key.latitude, key.longitude, time.milliseconds, place])
        }
    }
}
