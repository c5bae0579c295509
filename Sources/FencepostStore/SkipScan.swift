/// The different values of an index's first column, found from one to the next: SQLite itself reads every row for them.
///
/// In SQL, since a text that is not UTF-8 is another one in Swift, after which the next one would never come.
enum SkipScan {
    /// - Parameters:
    ///   - column: the first column of an index.
    ///   - table: the table.
    /// - Returns: a SELECT of the values without NULL, in their order, in the column `value`.
    static func sql(_ column: String, of table: String) -> String {
        """
        WITH RECURSIVE known(value) AS (
          SELECT min(\(column)) FROM \(table)
          UNION ALL
          SELECT (SELECT min(\(column)) FROM \(table) WHERE \(column) > known.value) FROM known
            WHERE known.value IS NOT NULL)
        SELECT value FROM known WHERE value IS NOT NULL
        """
    }
}
