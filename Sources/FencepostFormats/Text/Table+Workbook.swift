extension Table {
    /// Tables as an Excel workbook (Office Open XML, ECMA-376): one worksheet for each, with filters below the titles and, where
    /// a column has a total, a last row of sums over the rows that a filter shows.
    ///
    /// - Throws: if libzip fails, for example without memory.
    public static func workbook(_ tables: [Table]) throws(ZipFailure) -> [UInt8] {
        let sheets = tables.indices.map { index in
            (name: "xl/worksheets/sheet\(index + 1).xml", bytes: Array(tables[index].worksheet.utf8))
        }
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        let files: [(name: String, text: String)] = [
            ("[Content_Types].xml", head + contentTypes(count: tables.count)),
            (
                "_rels/.rels",
                head
                    + "<Relationships xmlns=\"\(packageSpace)/relationships\"><Relationship Id=\"rId1\" "
                    + "Type=\"\(officeSpace)/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
            ("xl/workbook.xml", head + workbookPart(tables)),
            ("xl/_rels/workbook.xml.rels", head + relationships(count: tables.count)),
            ("xl/styles.xml", head + styles),
        ]
        return try ZipWriter.archive(files.map { ($0.name, Array($0.text.utf8)) } + sheets)
    }

    private static let packageSpace = "http://schemas.openxmlformats.org/package/2006"
    private static let officeSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    private static let sheetSpace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    private static let sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml"

    private static func contentTypes(count: Int) -> String {
        var text = "<Types xmlns=\"\(packageSpace)/content-types\">"
        text += "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
        text += "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
        text += "<Override PartName=\"/xl/workbook.xml\" ContentType=\"\(sheetType).sheet.main+xml\"/>"
        text += "<Override PartName=\"/xl/styles.xml\" ContentType=\"\(sheetType).styles+xml\"/>"
        for index in 1...max(1, count) {
            text +=
                "<Override PartName=\"/xl/worksheets/sheet\(index).xml\" ContentType=\"\(sheetType).worksheet+xml\"/>"
        }
        return text + "</Types>"
    }

    private static func workbookPart(_ tables: [Table]) -> String {
        var text = "<workbook xmlns=\"\(sheetSpace)\" xmlns:r=\"\(officeSpace)\"><sheets>"
        for (index, table) in tables.enumerated() {
            // A worksheet's name has at most 31 characters, without some signs.
            let name = String(table.name.filter { !"[]:*?/\\".contains($0) }.prefix(31))
            text += "<sheet name=\"\(escaped(name))\" sheetId=\"\(index + 1)\" r:id=\"rId\(index + 1)\"/>"
        }
        return text + "</sheets></workbook>"
    }

    private static func relationships(count: Int) -> String {
        var text = "<Relationships xmlns=\"\(packageSpace)/relationships\">"
        for index in 0..<count {
            text +=
                "<Relationship Id=\"rId\(index + 1)\" Type=\"\(officeSpace)/worksheet\" "
                + "Target=\"worksheets/sheet\(index + 1).xml\"/>"
        }
        text += "<Relationship Id=\"rId\(count + 1)\" Type=\"\(officeSpace)/styles\" Target=\"styles.xml\"/>"
        return text + "</Relationships>"
    }

    /// The formats of numbers beyond Excel's own, and the formats of cells: of each format of a column one
    /// in plain type and one in bold.
    private static let styles: String = {
        let numbers = Column.Format.allCases.compactMap { format in
            format.code.map { "<numFmt numFmtId=\"\(format.id)\" formatCode=\"\($0)\"/>" }
        }
        let cells = Column.Format.allCases.flatMap { format in
            (0...1).map { font in
                "<xf numFmtId=\"\(format.id)\" fontId=\"\(font)\" applyNumberFormat=\"1\" applyFont=\"1\"/>"
            }
        }
        return "<styleSheet xmlns=\"\(sheetSpace)\"><numFmts count=\"\(numbers.count)\">\(numbers.joined())</numFmts>"
            + "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
            + "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"1\"><fill><patternFill "
            + "patternType=\"none\"/></fill></fills><borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\">"
            + "<xf/></cellStyleXfs><cellXfs count=\"\(cells.count)\">\(cells.joined())</cellXfs><cellStyles count=\"1\">"
            + "<cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
    }()

    private var worksheet: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        text += "<worksheet xmlns=\"\(Self.sheetSpace)\"><sheetViews><sheetView workbookViewId=\"0\">"
        text += "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView>"
        text += "</sheetViews>"
        if !columns.isEmpty {
            text += "<cols>"
            for index in columns.indices {
                text += "<col min=\"\(index + 1)\" max=\"\(index + 1)\" width=\"\(width(index))\" customWidth=\"1\"/>"
            }
            text += "</cols>"
        }
        text += "<sheetData>"
        text += row(1, columns.map { .text($0.title) }, isBold: true)
        for (index, cells) in rows.enumerated() { text += row(index + 2, cells) }
        text += totals + "</sheetData>"
        if !columns.isEmpty, !rows.isEmpty {
            text += "<autoFilter ref=\"A1:\(Self.letters(columns.count - 1))\(rows.count + 1)\"/>"
        }
        return text + "</worksheet>"
    }

    /// Characters of the widest cell, within bounds that a window has room for.
    private func width(_ index: Int) -> Int {
        let format = columns[index].format
        // A file of years is not measured to its end.
        let longest = rows.prefix(1000).map { row in
            if case .text(let text) = row[index] { text.count } else { format == .moment ? 19 : 10 }
        }.max()
        return min(max(longest ?? 0, columns[index].title.count) + 3, 42)
    }

    /// The row of sums; empty for a table without columns of them, or without rows.
    private var totals: String {
        guard !rows.isEmpty, columns.contains(where: \.isTotalled) else { return "" }
        // Below an empty row, so that a program that sorts the table leaves it where it is.
        let number = rows.count + 3
        var text = "<row r=\"\(number)\">"
        for (index, column) in columns.enumerated() {
            let letters = Self.letters(index)
            let style = " s=\"\(column.format.style(isBold: true))\""
            if column.isTotalled {
                let sum = rows.reduce(0) { if case .number(let value) = $1[index] { $0 + value } else { $0 } }
                // 109 is the sum of the rows that are shown.
                text += "<c r=\"\(letters)\(number)\"\(style)>"
                text += "<f>SUBTOTAL(109,\(letters)2:\(letters)\(rows.count + 1))</f><v>\(Self.text(of: sum))</v></c>"
            } else if index == 0 {
                text += cell("\(letters)\(number)", .text("Total"), style)
            }
        }
        return text + "</row>"
    }

    private func row(_ number: Int, _ cells: [Cell], isBold: Bool = false) -> String {
        var text = "<row r=\"\(number)\">"
        for (index, value) in cells.enumerated() {
            let style = columns[index].format.style(isBold: isBold)
            text += cell("\(Self.letters(index))\(number)", value, style == 0 ? "" : " s=\"\(style)\"")
        }
        return text + "</row>"
    }

    private func cell(_ reference: String, _ value: Cell, _ style: String) -> String {
        switch value {
        case .text(let value):
            "<c r=\"\(reference)\"\(style) t=\"inlineStr\"><is><t xml:space=\"preserve\">\(Self.escaped(value))</t></is></c>"
        case .number(let value): "<c r=\"\(reference)\"\(style)><v>\(Self.text(of: value))</v></c>"
        case .empty: ""
        }
    }

    /// The name of a column: A to Z, AA …
    private static func letters(_ index: Int) -> String {
        let letter = String(UnicodeScalar(UInt8(65 + index % 26)))
        return index < 26 ? letter : letters(index / 26 - 1) + letter
    }

    private static func escaped(_ text: String) -> String {
        // XML 1.0 has no other control characters.
        let clean = text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" || $0 == "\n" }
        return String(String.UnicodeScalarView(clean)).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}

extension Table.Column.Format {
    /// The number of the format in a workbook: those below 164 are Excel's own (ECMA-376, part 1, 18.8.30).
    fileprivate var id: Int {
        switch self {
        case .general: 0
        case .date: 164
        case .moment: 165
        case .duration: 166
        case .tenths: 167
        }
    }

    /// The format in Excel's notation; `nil` for the general one.
    fileprivate var code: String? {
        switch self {
        case .general: nil
        case .date: "yyyy-mm-dd"
        case .moment: "yyyy-mm-dd hh:mm:ss"
        case .duration: "[h]:mm"
        case .tenths: "0.0"
        }
    }

    /// The index of the format of cells.
    fileprivate func style(isBold: Bool) -> Int {
        2 * (Self.allCases.firstIndex(of: self) ?? 0) + (isBold ? 1 : 0)
    }
}
