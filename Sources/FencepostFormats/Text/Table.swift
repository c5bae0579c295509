/// A table with named columns, as CSV or as an Excel workbook.
public struct Table: Hashable, Sendable {
    /// A value of a cell.
    public enum Cell: Hashable, Sendable {
        case text(String)
        case number(Double)
        case empty
    }

    /// The name of the worksheet.
    public var name: String
    public var columns: [String]
    /// Rows with a cell for each column.
    public var rows: [[Cell]]

    public init(name: String, columns: [String], rows: [[Cell]] = []) {
        self.name = name
        self.columns = columns
        self.rows = rows
    }

    /// The table as CSV (RFC 4180) with lines that end in LF.
    ///
    /// Text that a spreadsheet would take as a formula starts with an apostrophe.
    public var csv: String {
        var text = columns.map(Self.quoted).joined(separator: ",") + "\n"
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
