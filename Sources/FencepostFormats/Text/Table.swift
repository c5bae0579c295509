/// A table with named columns, as CSV or as an Excel workbook.
public struct Table: Hashable, Sendable {
    /// A value of a cell.
    public enum Cell: Hashable, Sendable {
        case text(String)
        case number(Double)
        case empty
    }

    /// A column with its title.
    public struct Column: Hashable, Sendable, ExpressibleByStringLiteral {
        /// How a workbook shows the numbers of a column. CSV has them as they are.
        public enum Format: Hashable, Sendable, CaseIterable {
            /// As the program that opens it does.
            case general
            /// Days since 1899-12-30, as a date.
            case date
            /// Days since 1899-12-30, as a date and a time of day to the second.
            case moment
            /// Days, as hours and minutes: 49 hours are `49:00`.
            case duration
            /// With one decimal.
            case tenths
        }

        /// The text at its top.
        public var title: String
        /// How a workbook shows its numbers.
        public var format: Format
        /// Whether the last row of a workbook has its sum.
        public var isTotalled: Bool

        /// A column.
        public init(_ title: String, _ format: Format = .general, isTotalled: Bool = false) {
            (self.title, self.format, self.isTotalled) = (title, format, isTotalled)
        }

        /// A column of texts, or of numbers as they are.
        public init(stringLiteral title: String) { self.init(title) }
    }

    /// The name of the worksheet.
    public var name: String
    public var columns: [Column]
    /// Rows with a cell for each column.
    public var rows: [[Cell]]

    public init(name: String, columns: [Column], rows: [[Cell]] = []) {
        self.name = name
        self.columns = columns
        self.rows = rows
    }

    /// The table as CSV (RFC 4180) with lines that end in LF.
    ///
    /// Text that a spreadsheet would take as a formula starts with an apostrophe.
    public var csv: String {
        var text = columns.map { Self.quoted($0.title) }.joined(separator: ",") + "\n"
        for row in rows {
            text +=
                row.map { cell in
                    switch cell {
                    case .text(let text): Self.quoted(text)
                    case .number(let number): Self.text(of: number)
                    case .empty: ""
                    }
                }.joined(separator: ",") + "\n"
        }
        return text
    }

    static func text(of number: Double) -> String {
        if let integer = Int64(exactly: number) { return String(integer) }
        return String(number)
    }

    private static func quoted(_ field: String) -> String {
        let isFormula = field.first.map { "=+-@\t\r".contains($0) } ?? false
        let field = isFormula ? "'" + field : field
        guard field.contains(where: { "\",\n\r".contains($0) }) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
