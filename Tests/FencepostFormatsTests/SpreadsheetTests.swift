import FencepostFormats
import FencepostModel
import Testing

@Suite("A table of a spreadsheet") struct SpreadsheetTests {
    /// The times of a table's locations, or the sentence that rejects its only row.
    private static func times(_ text: String) throws -> [String] {
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(reading.failure == nil)
        return reading.locations.map(\.timestamp.rfc3339) + reading.rejections.map(\.message)
    }

    // MARK: Time zones

    @Test(
        "has its time zone in a column",
        arguments: [
            ("Time zone", "Europe/Berlin", "07:30"), ("timezone", "+01:00", "07:30"), ("tz", "+0100", "07:30"),
            ("Zeitzone", "UTC+1", "07:30"), ("utc_offset", "3600", "07:30"), ("GMT offset", "1", "07:30"),
            ("UTC offset", "-5", "13:30"), ("offset", "Z", "08:30"), ("tz", "UTC", "08:30"), ("tz", "0", "08:30"),
            ("tz", "GMT-03:30", "12:00"), ("tz", "\u{2212}03:30", "12:00"), ("offset", "5.5", "03:00"),
            ("offset", "-12600", "12:00"), ("offset", "-3600", "09:30"), ("utc_offset (min)", "-210", "12:00"),
            ("offset (h)", "5.75", "02:45"), ("offset_seconds", "20700", "02:45"), ("tz", "Asia/Kathmandu", "02:45"),
        ])
    func zone(heading: String, value: String, time: String) throws {
        let expected = ["2026-03-01T\(time):00Z"]
        #expect(try Self.times("time,\(heading),lat,lon\n2026-03-01 08:30:00,\(value),48,11\n") == expected)
        #expect(try Self.times("time,\(heading),lat,lon\n2026-03-01T08:30:00,\(value),48,11\n") == expected)
        #expect(try Self.times("date,clock,time,\(heading),lat,lon\n2026-03-01,,08:30,\(value),48,11\n") == expected)
        #expect(try Self.times("local time,lat,lon,\(heading)\n2026-03-01 08:30:00,48,11,\(value)\n") == expected)
    }

    @Test(
        "has a time zone that is not certain",
        arguments: [
            "CET", "W. Europe Standard Time", "Europe/Atlantis", "Europe/../Berlin", "100", "900", "60", "-840", "+15",
            "+01:60", "x", "1e1", "UTC1",
        ])
    func unknownZone(value: String) throws {
        #expect(
            try Self.times("time,tz,lat,lon\n2026-03-01 08:30:00,\(value),48,11\n") == [
                "the time zone '\(value)' is not known: write an offset, as in +01:00, or a name, as in Europe/Berlin"
            ])
        // A time that says it itself does not need it.
        #expect(
            try Self.times("time,tz,lat,lon\n2026-03-01T08:30:00+01:00,\(value),48,11\n") == ["2026-03-01T07:30:00Z"])
    }

    @Test("has a time zone, and times that need none or another") func ownZone() throws {
        func times(_ time: String, _ zone: String, _ heading: String = "time") throws -> [String] {
            try Self.times("\(heading),tz,lat,lon\n\(time),\(zone),48,11\n")
        }
        let same = ["2026-03-01T07:30:00Z"]
        #expect(try times("2026-03-01T08:30:00+01:00", "Europe/Berlin") == same)
        #expect(try times("2026-03-01T07:30:00Z", "Europe/Berlin") == same)
        #expect(try times("2026-03-01 07:30:00", "Europe/Berlin", "time (UTC)") == same)
        #expect(try times("1772350200", "Europe/Berlin") == same)
        #expect(
            try times("2026-03-01T08:30:00+02:00", "Europe/Berlin") == [
                "'2026-03-01T08:30:00+02:00' has another offset than the time zone 'Europe/Berlin': remove one of them"
            ])
        #expect(
            try times("2026-03-01 08:30:00", "") == [
                "'2026-03-01 08:30:00' has no time zone in \"tz\": write an offset there, as in +01:00"
            ])
        // A column of UTC beside that of local times is the one that counts.
        #expect(
            try Self.times("time,local time,tz,lat,lon\n2026-03-01 07:30,2026-03-01 08:30,+01:00,48,11\n") == same)
    }

    @Test("has a time zone whose clocks are changed") func changedClocks() throws {
        func times(_ time: String) throws -> [String] {
            try Self.times("time,tz,lat,lon\n\(time),Europe/Berlin,48,11\n")
        }
        #expect(try times("2026-03-29 01:59:59") == ["2026-03-29T00:59:59Z"])
        #expect(
            try times("2026-03-29 02:30:00") == [
                "'2026-03-29 02:30:00' does not exist in Europe/Berlin: add its offset"
            ])
        #expect(try times("2026-03-29 03:00:00") == ["2026-03-29T01:00:00Z"])
        #expect(try times("2025-10-26 01:59:59") == ["2025-10-25T23:59:59Z"])
        #expect(
            try times("2025-10-26 02:30:00") == ["'2025-10-26 02:30:00' comes twice in Europe/Berlin: add its offset"])
        #expect(try times("2025-10-26 03:00:00") == ["2025-10-26T02:00:00Z"])
        // With its offset in another column it is certain.
        let both = "time,tz,utc offset,lat,lon\n2025-10-26 02:30:00,Europe/Berlin,"
        #expect(try Self.times(both + "+01:00,48,11\n") == ["2025-10-26T01:30:00Z"])
        #expect(
            try Self.times(both + "+05:00,48,11\n") == [
                "the columns \"tz\" and \"utc offset\" have different values for '2025-10-26 02:30:00': remove one of them"
            ])
    }
}
