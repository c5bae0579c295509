import FencepostFormats
import FencepostGeometry
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
            ("UTC offset", "-5", "13:30"), ("tz offset", "Z", "08:30"), ("tz", "UTC", "08:30"), ("tz", "0", "08:30"),
            ("tz", "GMT-03:30", "12:00"), ("tz", "\u{2212}03:30", "12:00"), ("tz offset", "5.5", "03:00"),
            ("tz offset", "-12600", "12:00"), ("tz offset", "-3600", "09:30"), ("utc_offset (min)", "-210", "12:00"),
            ("utc offset (h)", "5.75", "02:45"), ("utc_offset_seconds", "20700", "02:45"),
            ("tz", "Asia/Kathmandu", "02:45"),
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
        // A column of UTC goes before that of local times.
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

    // MARK: Units

    @Test(
        "has a second row with the units of its columns",
        arguments: ["(UTC),(deg),(deg),(m),(km/h)", "UTC,°,°,m,km/h", ",,,[m],[km/h]", "\"\",deg, deg ,\"m\",km/h "])
    func units(row: String) throws {
        let text = "time,lat,lon,altitude,speed\n\(row)\n2026-03-01 08:30:00,48,11,500,36\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(reading.rejections == [])
        #expect(reading.locations.map(\.speed) == [10] && reading.locations.map(\.altitude) == [500])
    }

    @Test(
        "has a second row that is no row of units",
        arguments: ["UTC,deg,deg,m,furlongs", "UTC,48,11,m,km/h", "-,-,-,-,-"])
    func noUnits(row: String) throws {
        let text = "time,lat,lon,altitude,speed\n\(row)\n2026-03-01 08:30:00,48,11,500,36\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(reading.rejections.count == 1)
        #expect(reading.locations.map(\.speed) == [36])
    }

    // MARK: Battery levels

    @Test(
        "has battery levels as shares or percentages",
        arguments: [
            ("battery", "0.85", 0.85), ("batt", "0,5", 0.5), ("battery", "85", 0.85), ("battery", "0", 0),
            ("battery", "100", 1), ("battery", "1.5", 0.015),
            ("battery (%)", "0.85", 0.0085),
            ("battery", "0.5 %", 0.005),
            ("batteryPercent", "0.5", 0.005),
            ("batteryLevel", "1", 1), ("battery (%)", "1", 0.01),
            ("battery", "1 %", 0.01),
        ] as [(String, String, Double)])
    func battery(heading: String, value: String, level: Double) throws {
        let text = "time;lat;lon;\(heading)\n2026-03-01 08:30:00;48;11;\(value)\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        let location = try #require(reading.locations.first)
        #expect(location.batteryLevel.map { ($0 - level).magnitude < 1e-9 } ?? false)
        #expect(reading.dropped.isEmpty)
    }

    @Test("has a battery level of 1, which can be a hundredth or full", arguments: ["1", "1.0", "1,00"])
    func uncertainBattery(value: String) throws {
        let reading = try Reading(
            Array("time;lat;lon;battery\n2026-03-01 08:30:00;48;11;\(value)\n".utf8), name: "track.csv")
        #expect(reading.locations.count == 1 && reading.locations.first?.batteryLevel == nil)
        #expect(reading.dropped.named.map(\.name) == ["batteryLevel"])
    }

    // MARK: Devices

    @Test("has device numbers that lost their digits", arguments: ["3,56938E+14", "3.56938E+14", "3E+14", "3.5e+15"])
    func devices(value: String) throws {
        let text = "time;lat;lon;device\n2026-03-01 08:30:00;48;11;\(value)\n2026-03-01 08:30:00;48;11;3E14a\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(
            reading.rejections.map(\.message) == [
                "the device '\(value)' has lost digits in a spreadsheet: format its column as text, and enter the numbers again"
            ])
        #expect(reading.rejections.map(\.code) == ["invalid_device_id"])
        #expect(reading.locations.map(\.deviceID.rawValue) == ["3E14a"])
    }

    // MARK: Dates

    @Test(
        "has a date and a time of day in the words of its language",
        arguments: [
            "Datum;Zeit;Breite;Länge\n01.03.2026;08:30:00;48;11\n",
            "Datum;Zeit (UTC);Breite;Länge\n01.03.2026;08:30:00;48;11\n",
            "Date et heure;Latitude;Longitude\n2026-03-01 08:30:00;48;11\n",
            "Date/heure;Latitude;Longitude\n2026-03-01 08:30:00;48;11\n",
            "Datum/Uhrzeit;Breite;Länge\n01.03.2026 08:30:00;48;11\n",
            "Datum und Uhrzeit;Breite;Länge\n01.03.2026 08:30:00;48;11\n",
            "Fecha;Hora;Latitud;Longitud\n2026-03-01;8:30:00 a. m.;48;11\n",
            "Fecha;Hora;Latitud;Longitud\n2026-03-01;8:30:00 a.\u{A0}m.;48;11\n",
            "Fecha y hora;Latitud;Longitud\n2026-03-01 8:30:00 a. m.;48;11\n",
            "Fecha y hora;Latitud;Longitud\n2026-03-01 8:30:00 a. m. UTC;48;11\n",
            "Fecha y hora;Latitud;Longitud\n2026-03-01 8:30:00 p. m. +12:00;48;11\n",
        ])
    func dates(text: String) throws {
        #expect(try Self.times(text) == ["2026-03-01T08:30:00Z"])
    }

    // MARK: Other values

    @Test(
        "has values that are dropped alone",
        arguments: [
            ("altitude", "1.234,5", "altitude"), ("Heading", "NO", "course"), ("Heading", "NEbN", "course"),
            ("accuracy", "<10", "horizontalAccuracy"), ("vAcc", "5;5", "verticalAccuracy"), ("speed", "slow", "speed"),
            ("floor", "1st", "floor"), ("batteryLevel", "full", "batteryLevel"),
        ])
    func dropped(heading: String, value: String, name: String) throws {
        for latitude in ["48.5", "48,5"] {
            let text = "time|lat|lon|\(heading)\n2026-03-01 08:30:00|\(latitude)|11|\(value)\n"
            let reading = try Reading(Array(text.utf8), name: "track.csv")
            #expect(reading.rejections == [])
            #expect(reading.locations.map(\.coordinate.latitude) == [48.5])
            #expect(reading.dropped.named.map(\.name) == [name] && reading.dropped.named.map(\.count) == [1])
        }
    }

    @Test("has dropped values in rows that wait for the order of day and month") func droppedWhileWaiting() throws {
        let text = "time,lat,lon,speed\n01/03/2026 08:00,1,1,slow\n02/03/2026 08:00,3,3,2\n13/03/2026 08:00,4,4,slow\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(reading.locations.map(\.speed) == [nil, 2, nil])
        #expect(reading.dropped.named.map(\.count) == [2])
    }

    @Test(
        "has courses as points of the compass",
        arguments: [("N", 0), ("NE", 45), ("nne", 22.5), ("S", 180), ("WSW", 247.5), ("NNW", 337.5)])
    func compass(value: String, course: Double) throws {
        let text = "time,lat,lon,heading\n2026-03-01 08:30:00,48,11,\(value)\n"
        let reading = try Reading(Array(text.utf8), name: "track.csv")
        #expect(reading.locations.map(\.course) == [course] && reading.dropped.isEmpty)
    }

    @Test(
        "has rows without a valid position",
        arguments: [
            ("valid", "false"), ("Valid", "FALSE"), ("valid", "0"), ("VALID", "NO FIX"), ("fix", "0"), ("fix", "none"),
            ("gps fix", "no"), ("fix status", "V"), ("is_valid", "invalid"), ("fix_type", "No fix"),
        ])
    func invalid(heading: String, value: String) throws {
        #expect(
            try Self.times("time,lat,lon,\(heading)\n2026-03-01 08:30:00,48,11,\(value)\n") == [
                "the column \"\(heading)\" has '\(value)': the receiver had no position"
            ])
    }

    @Test(
        "has rows with a valid position",
        arguments: [("valid", "true"), ("valid", "1"), ("VALID", "SPS"), ("fix", "3D"), ("fix", "2"), ("fix", "")])
    func valid(heading: String, value: String) throws {
        #expect(
            try Self.times("time,lat,lon,\(heading)\n2026-03-01 08:30:00,48,11,\(value)\n") == ["2026-03-01T08:30:00Z"])
    }
}
