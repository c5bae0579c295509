import FencepostFormats
import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@Suite("A table in the dialect of a program") struct DialectTests {
    /// All four quarters of the earth, and where both coordinates change their sign.
    static let starts = [
        (48_208_174, 16_373_819), (-33_448_900, -70_669_300), (37_774_900, -122_419_400), (-36_848_460, 174_763_330),
        (300, -300),
    ]

    @Test("reads back as the walk that was written", arguments: Dialect.all)
    func readsBack(_ dialect: Dialect) throws {
        #expect(Dialect.all.count >= 40)
        for (seed, start) in Self.starts.enumerated() {
            let fixes = DialectFix.walk(seed: UInt64(seed), from: start)
            let reading = try Reading(dialect.bytes(of: fixes), name: "track.csv")
            #expect(reading.failure == nil)
            #expect(reading.rejections == [])
            try #require(reading.locations.count == fixes.count)
            for (fix, location) in zip(fixes, reading.locations) { compare(fix, location, dialect.fields) }
            // Without the name the first bytes show that it is a table, and a read may end anywhere.
            let parts = try Reading(dialect.bytes(of: fixes), maximumRead: 7)
            #expect(parts.records == reading.records.map { $0 })
        }
    }

    private func compare(_ fix: DialectFix, _ location: Location, _ fields: Set<Dialect.Field>) {
        #expect(location.timestamp == fix.time)
        #expect((location.coordinate.latitude - Double(fix.latitude) / 1e6).magnitude < 1e-7)
        #expect((location.coordinate.longitude - Double(fix.longitude) / 1e6).magnitude < 1e-7)
        func expect(_ field: Dialect.Field, _ value: Double?, _ wanted: Double) {
            guard fields.contains(field) else {
                #expect(value == nil, "\(field)")
                return
            }
            #expect(value.map { ($0 - wanted).magnitude < 1e-4 } ?? false, "\(field) \(value ?? .nan), not \(wanted)")
        }
        expect(.accuracy, location.horizontalAccuracy, Double(fix.accuracy))
        expect(.altitude, location.altitude, Double(fix.altitude))
        expect(.speed, location.speed, Double(fix.speed) / 10)
        expect(.course, location.course, Double(fix.course))
        #expect(location.deviceID.rawValue == (fields.contains(.device) ? fix.device : "default"))
    }

    /// What cannot be read for certain, with its only row or its names, and the sentence that refuses it.
    static let refused: [(text: String, sentence: String)] = [
        (
            "time,lat,lon,accuracy,altitude,speed,course\n2026-03-01T08:30:00Z,48,1,11,5,12,0,500,0,1,5,270,0\n",
            "the row has 13 values for 7 columns: values with a comma, such as numbers with a decimal comma, need quotes, "
                + "or semicolons between the values"
        ),
        (
            "time,lat,N/S,lon,E/W\n2026-03-01T08:30:00Z,-33.4,S,70.6,W\n",
            "the latitude has a sign or a letter, and a column with the letter S"
        ),
        ("time,lat,N/S,lon,E/W\n2026-03-01T08:30:00Z,33.4,,70.6,W\n", "the letter N or S of the latitude is ''"),
        ("time,lat,N/S,lon,E/W\n2026-03-01T08:30:00Z,33.4,S,70.6,O\n", "the letter E or W of the longitude is 'O'"),
        (
            "time,lat,lon\n2026-03-01T08:30:00Z,48.1E,11.5N\n",
            "the latitude '48.1E' has the letter of the other coordinate"
        ),
        (
            "time,lat,lon\n2026-03-01T08:30:00Z,-48.1S,11.5E\n",
            "the latitude '-48.1S' has a sign and a letter: use one of them"
        ),
        (
            "time,lat,lon\n2026-03-01T08:30:00Z,48 61 00 N,11 30 00 E\n",
            "the latitude '48 61 00 N' has minutes or seconds that are not below 60"
        ),
        (
            "time,lat,lon\n2026-03-01T08:30:00Z,4807.038,01131.000\n",
            "the latitude '4807.038' looks like degrees and minutes of NMEA: write them as degrees, 48 + 7/60"
        ),
        (
            "time,lat,lon\n03/04/2026 08:30,48,11\n",
            "day and month of the date can be either, and no date of the file shows which comes first: write them as yyyy-mm-dd"
        ),
        (
            "date,time,lat,lon\n260301,08:30:00,48,11\n",
            "'260301 08:30:00' has a year of two digits, so its order is not certain: write the date as yyyy-mm-dd"
        ),
        ("date,time,lat,lon\n2026-03-01,,48,11\n", "the date '2026-03-01' has no time of day"),
        ("date,lat,lon\n2026-03-01,48,11\n", "'2026-03-01' is a date without a time of day"),
        (
            "time,lat,lon\n46082.354,48,11\n",
            "'46082.354' looks like the day number of a spreadsheet: format the column as yyyy-mm-dd hh:mm:ss"
        ),
        (
            "local time,lat,lon\n2026-03-01 08:30:00,48,11\n",
            "'2026-03-01 08:30:00' of \"local time\" is a local time without an offset: add it, as in +01:00"
        ),
        (
            "time,lat,lon\n2026-03-01 08:30:00 CET,48,11\n",
            "'2026-03-01 08:30:00 CET' has the name of a time zone that is not read: write the offset, as in +01:00"
        ),
        (
            "time,lat,lon,latitude\n2026-03-01T08:30:00Z,48,11,49\n",
            "the columns \"lat\" and \"latitude\" have different values ('48' and '49'): remove one of them"
        ),
        (
            "time,timestamp,lat,lon\n2026-03-01T08:30:00Z,1772400000,48,11\n",
            "the columns \"time\" and \"timestamp\" have different values ('2026-03-01T08:30:00Z' and '1772400000'): remove one of them"
        ),
        (
            "time;lat;lon;altitude\n2026-03-01T08:30:00Z;48.137;11.575;1,234\n",
            "the row has numbers with a point and numbers with a comma: use one decimal mark"
        ),
        (
            "time,lat,lon,speed (km/h)\n2026-03-01T08:30:00Z,48,11,5 mph\n",
            "the speed '5 mph' has another unit than \"speed (km/h)\""
        ),
        (
            "time;lat;lon\n2026-03-01T08:30:00Z,48,11\n",
            "the row has 1 value for 3 columns, which \";\" divides in the row of names"
        ),
        (
            "time,lat,lon,accuracy\n2026-03-01T08:30:00Z,48,11.5",
            "the file ends in this row, after 3 of 4 values: it may be truncated"
        ),
    ]

    @Test("is refused where its values are not certain", arguments: refused)
    func isRefused(_ file: (text: String, sentence: String)) throws {
        let reading = try Reading(Array(file.text.utf8), name: "track.csv")
        #expect(reading.rejections.map(\.message) == [file.sentence])
        #expect(reading.rejections.map(\.position) == [.line(2)])
        #expect(reading.locations.isEmpty)
        #expect(reading.failure == nil)
    }

    static let noTables: [(text: String, sentence: String)] = [
        (
            "time,coordinates\n1772353800,\"48,11\"\n",
            "the first row must name the columns, including a latitude and a longitude: the column \"coordinates\" has both in one "
                + "value, divide it into two columns"
        ),
        (
            "time,easting,northing\n1772353800,600000,5300000\n",
            "the first row must name the columns, including a latitude and a longitude: \"easting\" is of a projection, convert the "
                + "coordinates to WGS 84"
        ),
        (
            "time,lat,lon\r1772353800,48,11\r1772353801,48,11\r",
            "the lines end with a carriage return alone, as of old Macs: convert them, for example with tr '\\r' '\\n'"
        ),
    ]

    @Test("is refused as a whole where its columns are not enough", arguments: noTables)
    func isNoTable(_ file: (text: String, sentence: String)) throws {
        let reading = try Reading(Array(file.text.utf8), name: "track.csv")
        #expect(reading.failure?.message == file.sentence)
        #expect(reading.failure?.position == .line(1))
    }

    @Test("with a row in another encoding is refused there, and read elsewhere") func encodings() throws {
        let lines = ["time,lat,lon,device", "1772353800,48,11,Jürgen", "1772353860,48,12,Zoë", "1772353920,48,13,Ana"]
        var bytes = Array((lines[0...1].joined(separator: "\n") + "\n").utf8)
        bytes += Dialect.encoded(lines[2] + "\n", .windows1252) + Array(lines[3].utf8)
        let reading = try Reading(bytes, name: "track.csv")
        #expect(reading.locations.map(\.deviceID.rawValue) == ["Jürgen", "Ana"])
        #expect(reading.rejections.map(\.message) == ["the device 'Zo\u{FFFD}' is not UTF-8: save the file as UTF-8"])
    }

    @Test("takes the order of day and month from a later date") func order() throws {
        let text =
            "time,lat,lon\n01/03/2026 08:00,1,1\nx,2,2\n02/03/2026 08:00,3,3\n13/03/2026 08:00,4,4\n04/03/2026 08:00,5,5\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(
            reading.locations.map { $0.timestamp.rfc3339.prefix(10) } == [
                "2026-03-01", "2026-03-02", "2026-03-13", "2026-03-04",
            ])
        #expect(reading.rejections.map(\.position) == [.line(3)])
        // A date in the other order contradicts it.
        let other = try Reading(Array((text + "03/25/2026 08:00,6,6\n").utf8), name: "track.csv")
        #expect(other.locations == reading.locations)
        #expect(other.rejections.last?.code == "invalid_timestamp")
    }

    @Test("with the names again, in another order, is read by them") func secondTable() throws {
        let text = "time,lat,lon\n1772353800,48,11\ntime,lat,lon\n1772353860,48,12\ntime,lon,lat\n1772353920,13,48\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(reading.locations.map(\.coordinate.latitude) == [48, 48, 48])
        #expect(reading.locations.map(\.coordinate.longitude) == [11, 12, 13])
        #expect(reading.rejections == [])
    }

    @Test("names once the columns that are not used") func notes() throws {
        let text = "time,lat,lon,pressure,elevation,altitude,accuracy (px)\n1772353800,48,11,1013,5,6,7\n"
        var reader = LocationReader(ByteSource(bytes: Array(text.utf8)), options: .init(fileName: "track.csv"))
        while try reader.next() != nil {}
        #expect(
            reader.notes.map(\.message) == [
                "columns that are not used: \"pressure\", \"accuracy (px)\"",
                "the column \"altitude\" counts only where \"elevation\" is empty: both have the altitude",
            ])
        // A thousand of them are named in short.
        let wide =
            "time,lat,lon," + (1...1000).map { "c\($0)" }.joined(separator: ",") + "\n1772353800,48,11"
            + String(repeating: ",0", count: 1000) + "\n"
        var other = LocationReader(ByteSource(bytes: Array(wide.utf8)), options: .init(fileName: "track.csv"))
        var locations = 0
        while let records = try other.next() { locations += records.count }
        #expect(locations == 1)
        #expect(other.notes.first?.message.hasSuffix("\"c12\" and 988 more") ?? false)
    }
}
