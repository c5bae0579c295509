import Foundation
import GRDB

/// A cached statement whose values are bound one after the other.
///
/// GRDB boxes the arguments of a statement and puts them into arrays, which takes longer than SQLite needs for a small row.
/// So the rows of which a commit has many are written with it.
struct RowStatement {
    private let statement: Statement
    private var index: CInt = 0
    private var problem: CInt = 0

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        // It resets the statement, and lets it run with what is bound here.
        statement.setUncheckedArguments([])
    }

    /// Binds the next value; NULL for `nil`.
    mutating func bind(_ value: (some StatementBinding)?) {
        index += 1
        // A statement that was reset has NULL everywhere.
        guard let value else { return }
        let code = value.bind(to: statement.sqliteStatement, at: index)
        if code != 0 { problem = code }
    }

    /// Runs the statement.
    ///
    /// - Throws: a `DatabaseError`, as GRDB does; also when a value could not be bound.
    func execute() throws {
        try check()
        try statement.execute()
    }

    /// The number in the first column of the first row; `nil` without one.
    func number() throws -> Int64? {
        try check()
        return try Int64.fetchOne(statement)
    }

    private func check() throws {
        if problem != 0 { throw DatabaseError(resultCode: ResultCode(rawValue: problem)) }
    }
}
