import FencepostFormats
import Foundation
import Testing

@Suite("A table") struct TableTests {
    let table = Table(
        name: "By device: [1]/2", columns: ["device", "seconds", "note"],
        rows: [
            [.text("jane, \"phone\""), .number(3600), .text("<a> & b")], [.text("=1+1"), .number(0.5), .empty],
            [.text("größe\u{1}"), .number(-2), .text("two\nlines")],
        ])

    @Test("is CSV without formulas") func csv() {
        #expect(
            table.csv
                == "device,seconds,note\n\"jane, \"\"phone\"\"\",3600,<a> & b\n'=1+1,0.5,\ngröße\u{1},-2,\"two\nlines\"\n"
        )
    }

    @Test("is a workbook, the same one each time, whose parts are XML") func workbook() throws {
        let bytes = try Table.workbook([table, table])
        #expect(bytes == (try Table.workbook([table, table])))
        #expect(bytes.starts(with: Array("PK".utf8)))
    }

    /// Opened by a program that shares no code with the writer.
    @Test("is opened by openpyxl", .enabled(if: TableTests.hasReader, "openpyxl is not installed")) func reader() throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "fencepost-table.xlsx")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try Table.workbook([table])).write(to: file)
        let script = """
            import json, sys, openpyxl
            book = openpyxl.load_workbook(sys.argv[1])
            sheet = book.worksheets[0]
            print(json.dumps([sheet.title, [[cell.value for cell in row] for row in sheet.rows], sheet["A1"].font.b]))
            """
        let (status, output) = try Self.python(["-c", script, file.path])
        #expect(status == 0)
        let expected = """
            ["By device 12", [["device", "seconds", "note"], ["jane, \\"phone\\"", 3600, "<a> & b"], \
            ["=1+1", 0.5, null], ["gr\\u00f6\\u00dfe", -2, "two\\nlines"]], true]
            """
        #expect(output.trimmingCharacters(in: .whitespacesAndNewlines) == expected)
    }

    @Test(
        "has dates, durations and totals as openpyxl reads them",
        .enabled(if: TableTests.hasReader, "openpyxl is not installed"))
    func formats() throws {
        let table = Table(
            name: "Times",
            columns: [
                "who", Table.Column("date", .date), Table.Column("at", .moment),
                Table.Column("long", .duration, isTotalled: true), Table.Column("km", .tenths, isTotalled: true),
            ],
            rows: [
                [.text("a"), .number(46_082), .number(46_082.5), .number(49.5 / 24), .number(1.25)],
                [.text("b"), .number(46_083), .empty, .number(1.0 / 24), .number(2.5)],
            ])
        let file = FileManager.default.temporaryDirectory.appending(path: "fencepost-formats.xlsx")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try Table.workbook([table])).write(to: file)
        let script = """
            import sys, openpyxl
            for isCached in (True, False):
                sheet = openpyxl.load_workbook(sys.argv[1], data_only=isCached).worksheets[0]
                for row in sheet.values: print(*row, sep="|")
            print(sheet.auto_filter.ref)
            """
        let (status, output) = try Self.python(["-c", script, file.path])
        let rows =
            "who|date|at|long|km\na|2026-03-01 00:00:00|2026-03-01 12:00:00|2 days, 1:30:00|1.25\n"
            + "b|2026-03-02 00:00:00|None|1:00:00|2.5\nNone|None|None|None|None\n"
        #expect(status == 0)
        #expect(
            output == rows + "Total|None|None|2 days, 2:30:00|3.75\n" + rows
                + "Total|None|None|=SUBTOTAL(109,D2:D3)|=SUBTOTAL(109,E2:E3)\nA1:E3\n")
    }

    static let hasReader = (try? python(["-c", "import openpyxl"]).status) == 0

    private static func python(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
