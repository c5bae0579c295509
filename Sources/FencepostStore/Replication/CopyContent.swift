import FencepostModel
import Foundation
import GRDB

/// What a copy of a cluster's database holds, table by table, to be compared with another copy.
public struct CopyContent: Hashable, Sendable {
    /// The rows of a table: their number, and the sum of their hashes, which does not depend on their order.
    struct Table: Hashable {
        var rows = 0
        var sum: UInt64 = 0
    }

    private var tables: [String: Table] = [:]

    /// Reads a copy that no node writes.
    ///
    /// - Parameter path: the path of the database.
    /// - Throws: a `StoreError` when it cannot be read.
    public init(of path: String) throws(StoreError) {
        tables = try Backup.read(path) { db in
            // The mark is of the copy itself.
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'replica'")
            return Dictionary(uniqueKeysWithValues: try names.map { ($0, try Self.table($0, db)) })
        }
    }

    private static func table(_ name: String, _ db: Database) throws -> Table {
        var table = Table()
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \"\(name)\"")
        while let row = try rows.next() {
            var hash = FNV1a64()
            for value in row.databaseValues {
                switch value.storage {
                case .null: hash.add(0)
                case .int64(let number):
                    hash.add(1)
                    hash.add(UInt64(bitPattern: number))
                case .double(let number):
                    hash.add(2)
                    hash.add(number.bitPattern)
                case .string(let text):
                    hash.add(3)
                    for byte in text.utf8 { hash.add(UInt64(byte)) }
                case .blob(let data):
                    hash.add(4)
                    for byte in data { hash.add(UInt64(byte)) }
                }
            }
            table.rows += 1
            table.sum &+= SplitMix64.mix(hash.hash)
        }
        return table
    }

    /// The number of all rows.
    public var rows: Int { tables.values.reduce(0) { $0 + $1.rows } }

    /// The names of the tables that differ, sorted.
    public func differences(from other: CopyContent) -> [String] {
        Set(tables.keys).union(other.tables.keys).filter { tables[$0] != other.tables[$0] }.sorted()
    }
}
