import FencepostFormats
import FencepostHTTP
import FencepostJSON

/// Rows as texts: the partitions of a cluster write their rows in the wanted format, and one node merges them without
/// reading what is in them.
extension Table {
    /// Each row as a line of CSV.
    var csvLines: [String] {
        // Below an empty line, the titles of no columns.
        rows.map { row in String(Table(name: name, columns: [], rows: [row]).csv.dropFirst()) }
    }

    /// Each row as an array of JSON with the values of its cells.
    var cellTexts: [String] {
        rows.map { row in
            var writer = JSONWriter()
            writer.beginArray()
            for cell in row {
                switch cell {
                case .text(let text): writer.value(text)
                case .number(let number): writer.value(number)
                case .empty: writer.null()
                }
            }
            writer.endArray()
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    /// The table with the rows of `cellTexts`.
    func with(cellTexts: [String]) throws(Problem) -> Table {
        var table = self
        table.rows = []
        for text in cellTexts {
            guard let cells = (try? JSONDocument(parsing: Array(text.utf8)))?.root.array else {
                throw .internalError
            }
            table.rows.append(
                cells.map { cell in
                    cell.string.map { .text($0) } ?? cell.double.map { .number($0) } ?? .empty
                })
        }
        return table
    }
}
