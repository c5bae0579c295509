extension Table {
    /// Tables as an Excel workbook (Office Open XML, ECMA-376): one worksheet for each, the names of the columns in bold.
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

    /// Two formats of cells: the plain one, and bold.
    private static let styles =
        "<styleSheet xmlns=\"\(sheetSpace)\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
        + "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"1\"><fill><patternFill "
        + "patternType=\"none\"/></fill></fills><borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/>"
        + "</cellStyleXfs><cellXfs count=\"2\"><xf fontId=\"0\"/><xf fontId=\"1\" applyFont=\"1\"/></cellXfs></styleSheet>"

    private var worksheet: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        text += "<worksheet xmlns=\"\(Self.sheetSpace)\"><sheetViews><sheetView workbookViewId=\"0\">"
        text += "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView>"
        text +=
            "</sheetViews><cols><col min=\"1\" max=\"\(max(1, columns.count))\" width=\"18\" customWidth=\"1\"/></cols>"
        text += "<sheetData>"
        text += row(1, columns.map(Cell.text), style: " s=\"1\"")
        for (index, cells) in rows.enumerated() { text += row(index + 2, cells, style: "") }
        return text + "</sheetData></worksheet>"
    }

    private func row(_ number: Int, _ cells: [Cell], style: String) -> String {
        var text = "<row r=\"\(number)\">"
        for (index, cell) in cells.enumerated() {
            let reference = "\(Self.letters(index))\(number)"
            switch cell {
            case .text(let value):
                text += "<c r=\"\(reference)\"\(style) t=\"inlineStr\"><is><t xml:space=\"preserve\">"
                text += "\(Self.escaped(value))</t></is></c>"
            case .number(let value): text += "<c r=\"\(reference)\"\(style)><v>\(Self.text(of: value))</v></c>"
            case .empty: break
            }
        }
        return text + "</row>"
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
