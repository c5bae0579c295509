import FencepostFormats
import FencepostModel
import Foundation
import Testing

@Suite("A file that is not what it seems") struct BadFileTests {
    private static let point = #"<trkpt lat="48" lon="11"><time>2026-03-01T08:30:00Z</time></trkpt>"#
    private static let gpx = "<gpx version=\"1.1\"><trk><name>M</name><trkseg>\(point)</trkseg></trk></gpx>\n"
    private static let csv = "time,lat,lon\n2026-03-01T08:30:00Z,48,11\n"
    private static let line = #"{"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","lat":48,"lon":11}"# + "\n"

    private static func latin1(_ text: String) -> [UInt8] { Dialect.encoded(text, .windows1252) }

    /// The name, the bytes, the locations that are read, and the start of each message with its place.
    static let files: [(name: String, bytes: [UInt8], locations: Int, messages: [String])] = [
        // Two formats, or two files, at once.
        (
            "a.gpx", Array((gpx + gpx).utf8), 1,
            ["2: invalid XML: Extra content at the end of the document: a second document follows"]
        ),
        (
            "a.gpx", Array((gpx + csv).utf8), 1,
            ["2: invalid XML: Extra content at the end of the document: a second document follows"]
        ),
        ("a.csv", Array((csv + gpx).utf8), 1, ["3: the row has 1 value for 3 columns"]),
        ("a.csv", Array((csv + line).utf8), 1, ["3: the row has 4 values for 3 columns"]),
        ("a.ndjson", Array((line + gpx + line).utf8), 2, ["2: column 1: a value is missing: found '<'"]),
        // Another format than the name says.
        ("a.gpx", Array(csv.utf8), 0, ["1: invalid XML: Document is empty: the file does not begin with <"]),
        ("a.csv", Array(gpx.utf8), 0, ["1: this is XML and no table"]),
        ("a.csv", Array(line.utf8), 0, ["1: this is JSON and no table"]),
        (
            "a.gpx", Array("<!DOCTYPE html><html><title>Login</title></html>".utf8), 0,
            ["1: this is a page of HTML, not gpx: such a page"]
        ),
        (
            "run.gpx", Array("<TrainingCenterDatabase><Activities/></TrainingCenterDatabase>".utf8), 0,
            ["1: the outermost element is TrainingCenterDatabase, not gpx: this is TCX of a sports watch"]
        ),
        // Encodings.
        (
            "a.gpx", latin1(gpx.replacing("M<", with: "München<")), 0,
            ["1: invalid XML: Input is not proper UTF-8, indicate encoding !: the first line may have to declare"]
        ),
        (
            "a.gpx", latin1(#"<?xml version="1.0" encoding="ISO-8859-1"?>"# + gpx.replacing("M<", with: "München<")), 1,
            []
        ),
        (
            "a.ndjson", Array(line.utf8) + latin1(line.replacing("\"a\"", with: "\"Müller\"")) + Array(line.utf8), 2,
            ["2: column 15: a string is not valid UTF-8"]
        ),
        // What is known by its first bytes.
        ("a", Array("%PDF-1.7\n%x\n".utf8), 0, ["1: this is a PDF document"]),
        (
            "a", Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 100), 0,
            ["1: this is an SQLite database"]
        ),
        (
            "a", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + [UInt8](repeating: 0, count: 20), 0,
            ["1: this is an archive that is not read"]
        ),
        ("a", [0xD0, 0xCF, 0x11, 0xE0] + [UInt8](repeating: 0, count: 20), 0, ["1: this is a workbook"]),
        (
            "a.plt", Array("OziExplorer Track Point File Version 2.1\nWGS 84\n".utf8), 0,
            ["1: this is a track of OziExplorer"]
        ),
        (
            "a.igc", Array("AXXX001\r\nHFDTE010326\r\nB0830004807038N01131000EA0050000600\r\n".utf8), 0,
            ["1: this may be a flight log (IGC)"]
        ),
        (
            "a.txt", Array("Grid\tLat/Lon hddd.ddddd°\nDatum\tWGS 84\n".utf8), 0,
            ["1: this is a text of Garmin BaseCamp or MapSource"]
        ),
        (
            "a.csv", Array("time,start_lat,start_lon\n1,2,3\n".utf8), 0,
            [
                "1: the first row must name the columns, including a latitude and a longitude: \"start_lat\" is not certain to be one"
            ]
        ),
        // Documents over several lines are no lines of JSON.
        (
            "a.json", Array("{\n \"timelineItems\": [\n  {\"samples\": 7}, 7\n ]\n}\n".utf8), 0,
            ["the timeline item is not a JSON object"]
        ),
        (
            "a.json", Array("{\n \"tracks\": [],\n \"version\": 9\n}\n".utf8), 0,
            ["the document has no array of locations: its members are \"tracks\", \"version\""]
        ),
        // Lines without an end.
        (
            "a.csv", [UInt8](repeating: 0x78, count: 70_000), 0,
            ["1: the row is longer than 64 KiB: a table has a row of column names"]
        ),
        (
            "a.csv", Array((csv + "\"" + String(repeating: "x\n", count: 40_000)).utf8), 1,
            ["3: the row is longer than 64 KiB: a quotation mark"]
        ),
        ("a.csv", [UInt8](repeating: 0, count: 70_000), 0, ["1: this is a binary file"]),
        (
            "a.ndjson", Array((line + String(repeating: "x", count: 70_000) + "\n" + line).utf8), 2,
            ["2: the line is longer than 64 KiB"]
        ),
    ]

    @Test("is named with its place, and what is good is read", arguments: files)
    func isNamed(_ file: (name: String, bytes: [UInt8], locations: Int, messages: [String])) throws {
        let reading = try Reading(file.bytes, name: file.name)
        #expect(reading.locations.count == file.locations)
        let found = reading.rejections.map { diagnostic in
            if case .line(let line) = diagnostic.position {
                "\(line): \(diagnostic.message)"
            } else {
                diagnostic.message
            }
        }
        try #require(found.count == file.messages.count, "\(found)")
        for (found, wanted) in zip(found, file.messages) { #expect(found.hasPrefix(wanted)) }
        // The place and the words do not depend on how the file arrives.
        #expect(try Reading(file.bytes, name: file.name, maximumRead: 997).rejections == reading.rejections)
    }

    private static func notes(_ text: String, name: String) throws -> [String] {
        var reader = LocationReader(ByteSource(bytes: Array(text.utf8)), options: .init(fileName: name))
        while try reader.next() != nil {}
        return reader.notes.map(\.description)
    }

    @Test("is read with a warning where its version is not known") func versions() throws {
        #expect(try Self.notes(Self.gpx, name: "a.gpx") == [])
        #expect(
            try Self.notes(Self.gpx.replacing("1.1", with: "2.0"), name: "a.gpx") == [
                "a.gpx:1: warning: GPX of the version '2.0' is not known, it is read as 1.1: compare the count of its points "
                    + "[unknown_version]"
            ])
    }

    /// The archives have no compression.
    @Test("is reported where it is an archive in an archive, and the others are read") func archives() throws {
        func zip(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
            var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
            func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) } }
            for file in files {
                let name = Array(file.name.utf8)
                let sizes =
                    little(Int(Self.checksum(file.bytes)), 4) + little(file.bytes.count, 4)
                    + little(file.bytes.count, 4)
                let common =
                    little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + sizes + little(name.count, 2)
                    + little(0, 2)
                directory +=
                    Array("PK\u{01}\u{02}".utf8) + little(20, 2) + common + little(0, 10) + little(bytes.count, 4)
                    + name
                bytes += Array("PK\u{03}\u{04}".utf8) + common + name + file.bytes
            }
            return bytes + directory + Array("PK\u{05}\u{06}".utf8) + little(0, 4) + little(files.count, 2)
                + little(files.count, 2)
                + little(directory.count, 4) + little(bytes.count, 4) + little(0, 2)
        }
        let table = Array(Self.csv.utf8)
        let inner = zip([("a.csv", table)])
        let both = try Reading(zip([("b.csv", table), ("inner.zip", inner)]), name: "both.zip")
        #expect(both.locations.count == 1)
        #expect(both.failure == nil)
        #expect(
            both.rejections.map(\.message) == ["inner.zip: an archive within an archive is not read: unpack it first"])
        let alone = try Reading(zip([("inner.zip", inner)]), name: "alone.zip")
        #expect(alone.locations.isEmpty)
        #expect(alone.rejections.contains { $0.message.contains("unpack it first") })
    }

    /// CRC-32, as archives have it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}
