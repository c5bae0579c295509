import FencepostModel
import Foundation

extension Dialect {
    private static let lat = Column("lat") { $0.latitudeText }
    private static let lon = Column("lon") { $0.longitudeText }
    private static let accuracy = Column("accuracy", .accuracy) { String($0.accuracy) }
    private static let altitude = Column("altitude", .altitude) { String($0.altitude) }
    private static let speed = Column("speed", .speed) { tenths($0.speed) }
    private static let course = Column("course", .course) { String($0.course) }
    private static let device = Column("device", .device) { $0.device }

    private static func tenths(_ number: Int) -> String { String(format: "%.1f", Double(number) / 10) }

    private static func iso(_ fix: DialectFix, _ mark: String = "T", _ end: String = "Z", hours: Int = 0) -> String {
        var shifted = fix
        shifted.time = fix.time + .seconds(hours * 3600)
        let (year, month, day, hour, minute, second) = shifted.parts
        return String(format: "%04d-%02d-%02d\(mark)%02d:%02d:%02d\(end)", year, month, day, hour, minute, second)
    }

    private static func date(_ format: String, _ fix: DialectFix) -> String {
        let (year, month, day, _, _, _) = fix.parts
        return format.replacing("Y", with: String(format: "%04d", year)).replacing(
            "M", with: String(format: "%02d", month)
        )
        .replacing("D", with: String(format: "%02d", day))
    }

    private static func clock(_ fix: DialectFix) -> String {
        let (_, _, _, hour, minute, second) = fix.parts
        return String(format: "%02d:%02d:%02d", hour, minute, second)
    }

    private static func time(_ heading: String = "time", _ text: @escaping @Sendable (DialectFix) -> String) -> Column {
        Column(heading, .none, text)
    }

    private static let isoTime = time { iso($0) }
    private static let plain = [isoTime, lat, lon, accuracy, altitude, speed, course, device]

    /// Each reads back as the walk that was written.
    static let all: [Dialect] = marks + encodings + coordinates + times + units + programs

    private static let marks: [Dialect] = [
        Dialect(name: "commas", columns: plain),
        Dialect(name: "semicolons", columns: plain, separator: ";"),
        Dialect(name: "tabs", columns: plain, separator: "\t"),
        Dialect(name: "bars", columns: plain, separator: "|"),
        Dialect(name: "semicolons and decimal commas", columns: plain, separator: ";", isDecimalComma: true),
        Dialect(name: "tabs and decimal commas", columns: plain, separator: "\t", isDecimalComma: true),
        Dialect(name: "commas and decimal commas in quotes", columns: plain, isDecimalComma: true),
        Dialect(name: "quotes around all", columns: plain, quotesAll: true),
        Dialect(name: "quotes, a mark and CRLF", columns: plain, quotesAll: true, lineEnding: "\r\n", hasMark: true),
        Dialect(name: "a separator behind each row", columns: plain, trail: ","),
        Dialect(name: "several separators behind each row", columns: plain, separator: ";", trail: ";;;"),
        Dialect(name: "blank lines and rows of separators", columns: plain, between: ["", ",,,,,,,", "   "]),
        Dialect(name: "comments", columns: plain, lead: ["# by a logger", "# lines, of notes"], between: ["# pause"]),
        Dialect(name: "names in a comment", columns: [Column("# time") { iso($0) }, lat, lon, accuracy]),
        Dialect(name: "a title above", columns: plain, lead: ["Track of Tuesday", "", "Device: phone"]),
        Dialect(name: "sep= of Excel", columns: plain, separator: ";", lead: ["sep=;"]),
        Dialect(name: "no line ending at the end", columns: plain, endsWithLine: false),
        Dialect(name: "other order", columns: plain.reversed()),
        Dialect(
            name: "columns of other things",
            columns: [Column("id") { _ in "7" }, Column("note, of a person") { _ in #"a "quoted", note"# }] + plain
                + [Column("satellites") { _ in "12" }, Column("hdop") { _ in "0.9" }]),
        Dialect(name: "a column twice with equal values", columns: plain + [Column("latitude") { $0.latitudeText }]),
        Dialect(
            name: "projected x and y as well",
            columns: [Column("X") { _ in "1822000.5" }, Column("Y") { _ in "6141000.25" }] + plain),
    ]

    private static let encodings: [Dialect] = [
        Dialect(name: "a byte order mark", columns: plain, hasMark: true),
        Dialect(
            name: "UTF-16, little endian", columns: plain, separator: "\t", hasMark: true, encoding: .utf16LittleEndian),
        Dialect(
            name: "UTF-16, big endian", columns: plain, lineEnding: "\r\n", hasMark: true, encoding: .utf16BigEndian),
        Dialect(name: "UTF-16 without a mark", columns: plain, separator: "\t", encoding: .utf16LittleEndian),
        Dialect(
            name: "a German spreadsheet in Windows-1252", columns: german, separator: ";", isDecimalComma: true,
            lineEnding: "\r\n", encoding: .windows1252),
        Dialect(
            name: "a German spreadsheet in UTF-8", columns: german, separator: ";", isDecimalComma: true, hasMark: true),
        Dialect(
            name: "a French spreadsheet",
            columns: [
                Column("Date") { date("D/M/Y", $0) }, Column("Heure") { clock($0) },
                Column("Latitude") { $0.latitudeText },
                Column("Longitude") { $0.longitudeText }, Column("Précision (m)", .accuracy) { String($0.accuracy) },
                Column("Vitesse (km/h)", .speed) { String(format: "%.5f", Double($0.speed) * 0.36) },
                Column("Appareil", .device) { $0.device },
            ], separator: ";", isDecimalComma: true),
        Dialect(
            name: "an Italian spreadsheet",
            columns: [
                Column("Data") { date("D/M/Y", $0) }, Column("Ora") { clock($0) },
                Column("Latitudine") { $0.latitudeText },
                Column("Longitudine") { $0.longitudeText }, Column("Quota", .altitude) { String($0.altitude) },
            ], separator: ";", isDecimalComma: true),
    ]

    private static let german = [
        Column("Datum") { date("D.M.Y", $0) }, Column("Uhrzeit") { clock($0) }, Column("Breite") { $0.latitudeText },
        Column("Länge") { $0.longitudeText }, Column("Höhe (m)", .altitude) { String($0.altitude) },
        Column("Genauigkeit", .accuracy) { String($0.accuracy) }, Column("Gerät", .device) { $0.device },
    ]

    private static func letter(_ millionths: Int, _ letters: (String, String)) -> String {
        millionths < 0 ? letters.1 : letters.0
    }

    private static let coordinates: [Dialect] = [
        Dialect(
            name: "columns N/S and E/W",
            columns: [
                isoTime, Column("Latitude") { DialectFix.degrees(abs($0.latitude)) },
                Column("N/S") { letter($0.latitude, ("N", "S")) },
                Column("Longitude") { DialectFix.degrees(abs($0.longitude)) },
                Column("E/W") { letter($0.longitude, ("E", "W")) },
            ]),
        Dialect(
            name: "letters behind the numbers",
            columns: [
                isoTime,
                Column("Latitude N/S") { DialectFix.degrees(abs($0.latitude)) + letter($0.latitude, ("N", "S")) },
                Column("Longitude E/W") { DialectFix.degrees(abs($0.longitude)) + letter($0.longitude, ("E", "W")) },
            ]),
        Dialect(
            name: "letters before the numbers",
            columns: [
                isoTime,
                Column("Latitude") { letter($0.latitude, ("N", "S")) + " " + DialectFix.degrees(abs($0.latitude)) },
                Column("Longitude") { letter($0.longitude, ("E", "W")) + DialectFix.degrees(abs($0.longitude)) },
            ]),
        Dialect(
            name: "degrees, minutes and seconds",
            columns: [
                isoTime,
                Column("lat") { DialectFix.minutesAndSeconds($0.latitude, ("N", "S"), marks: ["°", "'", "\""]) },
                Column("lon") { DialectFix.minutesAndSeconds($0.longitude, ("E", "W"), marks: ["° ", "′ ", "″ "]) },
            ]),
        Dialect(
            name: "degrees, minutes and seconds with spaces",
            columns: [
                isoTime,
                Column("lat") { DialectFix.minutesAndSeconds($0.latitude, ("N", "S"), marks: [" ", " ", " "]) },
                Column("lon") { DialectFix.minutesAndSeconds($0.longitude, ("E", "W"), marks: ["d", "m", "s"]) },
            ], separator: ";"),
        Dialect(
            name: "degrees with minutes",
            columns: [
                isoTime, Column("lat") { DialectFix.decimalMinutes($0.latitude, ("N", "S")) },
                Column("lon") { DialectFix.decimalMinutes($0.longitude, ("E", "W"), before: true) },
            ]),
        Dialect(
            name: "E7",
            columns: [
                isoTime, Column("latitudeE7") { "\($0.latitude * 10)" },
                Column("longitude_e7") { "\($0.longitude * 10)" },
            ]),
        Dialect(
            name: "semicircles of Garmin",
            columns: [
                isoTime,
                Column("position_lat (semicircles)") {
                    "\(Int((Double($0.latitude) / 180e6 * 2_147_483_648).rounded()))"
                },
                Column("position_long (semicircles)") {
                    "\(Int((Double($0.longitude) / 180e6 * 2_147_483_648).rounded()))"
                },
            ]),
    ]

    private static let times: [Dialect] = [
        Dialect(name: "a space in the time", columns: [time("Date Time") { iso($0, " ", "") }, lat, lon]),
        Dialect(
            name: "an offset", columns: [time("timestamp") { iso($0, "T", "+02:00", hours: 2) }, lat, lon]),
        Dialect(
            name: "an offset behind a space",
            columns: [time("timestamp") { iso($0, " ", " -0300", hours: -3) }, lat, lon]),
        Dialect(name: "UTC in words", columns: [time("Time") { iso($0, " ", " UTC") }, lat, lon]),
        Dialect(name: "a fraction", columns: [time { iso($0, "T", ".000000Z") }, lat, lon]),
        Dialect(name: "seconds since 1970", columns: [time { "\($0.seconds)" }, lat, lon]),
        Dialect(name: "milliseconds since 1970", columns: [time("timestamp_ms") { "\($0.seconds)000" }, lat, lon]),
        Dialect(name: "microseconds since 1970", columns: [time("timestamp") { "\($0.seconds)000000" }, lat, lon]),
        Dialect(name: "nanoseconds since 1970", columns: [time("time (ns)") { "\($0.seconds)000000000" }, lat, lon]),
        Dialect(name: "digits alone", columns: [time { iso($0).filter(\.isNumber) }, lat, lon]),
        Dialect(
            name: "digits with a T",
            columns: [time { date("YMD", $0) + "T" + clock($0).filter(\.isNumber) + "Z" }, lat, lon]),
        Dialect(name: "two columns", columns: [time("date") { date("Y-M-D", $0) }, time { clock($0) }, lat, lon]),
        Dialect(
            name: "two columns with slashes",
            columns: [time("DATE") { date("Y/M/D", $0) }, time("TIME") { clock($0) }, lat, lon]),
        Dialect(
            name: "two columns of digits",
            columns: [time("DATE") { date("YMD", $0) }, time("TIME") { clock($0).filter(\.isNumber) }, lat, lon]),
        Dialect(name: "dots", columns: [time("Zeit") { date("D.M.Y", $0) + " " + clock($0) }, lat, lon]),
        Dialect(name: "the day first", columns: [time { date("D/M/Y", $0) + " " + clock($0) }, lat, lon]),
        Dialect(
            name: "the month first, and half days",
            columns: [
                time { fix in
                    let (_, _, _, hour, minute, second) = fix.parts
                    return date("M/D/Y", fix)
                        + String(
                            format: " %d:%02d:%02d %@", (hour + 11) % 12 + 1, minute, second, hour < 12 ? "AM" : "PM")
                }, lat, lon,
            ]),
        Dialect(
            name: "names of months",
            columns: [
                time("Date") { fix in
                    "\(fix.parts.2) Mar 2026 \(clock(fix))"
                }, lat, lon,
            ]),
        Dialect(
            name: "UTC and local times",
            columns: [
                time("LOCAL DATE") { date("Y/M/D", $0) }, time("LOCAL TIME") { _ in "03:04:05" },
                time("UTC DATE") { date("Y/M/D", $0) }, time("UTC TIME") { clock($0) }, time("MS") { _ in "0" }, lat,
                lon,
            ]),
    ]

    private static let units: [Dialect] = [
        Dialect(
            name: "units in brackets",
            columns: [
                time("Time (UTC)") { iso($0, " ", "") }, Column("Latitude (deg)") { $0.latitudeText },
                Column("Longitude [°]") { $0.longitudeText },
                Column("Altitude (ft)", .altitude) { String(format: "%.6f", Double($0.altitude) / 0.3048) },
                Column("Speed (mph)", .speed) { String(format: "%.6f", Double($0.speed) / 4.4704) },
                Column("Accuracy (m)", .accuracy) { "\($0.accuracy)" },
                Column("Bearing (deg)", .course) { "\($0.course)" },
            ]),
        Dialect(
            name: "units behind names",
            columns: [
                isoTime, lat, lon,
                Column("altitude_ft", .altitude) { String(format: "%.6f", Double($0.altitude) / 0.3048) },
                Column("speed_kn", .speed) { String(format: "%.7f", Double($0.speed) * 360 / 1852) },
                Column("accuracy_km", .accuracy) { String(format: "%.3f", Double($0.accuracy) / 1000) },
            ]),
        Dialect(
            name: "units of speed in words",
            columns: [
                isoTime, lat, lon, Column("Speed, km/h", .speed) { String(format: "%.5f", Double($0.speed) * 0.36) },
            ], separator: ";"),
        Dialect(
            name: "units in values",
            columns: [
                isoTime, lat, lon, Column("Altitude", .altitude) { "\($0.altitude) m" },
                Column("Speed", .speed) { String(format: "%.5f km/h", Double($0.speed) * 0.36) },
                Column("Course", .course) { "\($0.course)°" },
            ]),
        Dialect(
            name: "words for missing values",
            columns: [
                isoTime, lat, lon, accuracy, Column("altitude") { _ in "NA" }, Column("speed") { _ in "\\N" },
                Column("course") { _ in "null" },
            ]),
    ]

    private static let programs: [Dialect] = [
        Dialect(
            name: "GPSLogger for Android",
            columns: [
                time { iso($0, "T", ".000Z") }, lat, lon, Column("elevation", .altitude) { "\($0.altitude)" }, accuracy,
                Column("bearing", .course) { "\($0.course)" }, speed, Column("satellites") { _ in "9" },
                Column("provider") { _ in "gps" },
                Column("hdop") { _ in "0.8" }, Column("battery") { _ in "85.0" },
                time("timestamp_ms") { "\($0.seconds)000" },
                Column("time_offset") { iso($0, "T", ".000-03:00", hours: -3) },
                Column("battery_charging") { _ in "false" },
            ]),
        Dialect(
            name: "a logger with a button",
            columns: [
                Column("INDEX") { _ in "1" }, Column("TAG") { _ in "T" }, time("DATE") { date("Y/M/D", $0) },
                time("TIME") { clock($0) },
                Column("Latitude N/S") { DialectFix.degrees(abs($0.latitude)) + letter($0.latitude, ("N", "S")) },
                Column("Longitude E/W") { DialectFix.degrees(abs($0.longitude)) + letter($0.longitude, ("E", "W")) },
                Column("HEIGHT", .altitude) { "\($0.altitude)" },
                Column("SPEED (km/h)", .speed) { String(format: "%.5f", Double($0.speed) * 0.36) },
                Column("HEADING", .course) { "\($0.course)" },
            ], lineEnding: "\r\n"),
        Dialect(
            name: "Movebank",
            columns: [
                Column("event-id") { _ in "12" }, time("timestamp") { iso($0, " ", ".000") },
                Column("location-long") { $0.longitudeText },
                Column("location-lat") { $0.latitudeText }, Column("ground-speed", .speed) { tenths($0.speed) },
                Column("heading", .course) { "\($0.course)" },
                Column("height-above-msl", .altitude) { "\($0.altitude)" },
            ]),
        Dialect(
            name: "OwnTracks' Recorder",
            columns: [
                Column("isotst") { iso($0) }, time("tst") { "\($0.seconds)" },
                Column("topic", .device) { "owntracks/" + $0.device }, Column("tid") { _ in "ja" }, lat, lon,
                Column("acc", .accuracy) { "\($0.accuracy)" },
                Column("vel", .speed) { String(format: "%.5f", Double($0.speed) * 0.36) },
                Column("cog", .course) { "\($0.course)" },
            ]),
        Dialect(
            name: "phyphox",
            columns: [
                isoTime, Column("Latitude (°)") { $0.latitudeText }, Column("Longitude (°)") { $0.longitudeText },
                Column("Velocity (m/s)", .speed) { tenths($0.speed) },
                Column("Direction (°)", .course) { "\($0.course)" },
            ], quotesAll: true),
        Dialect(
            name: "pandas, with an index",
            columns: [
                Column("") { _ in "0" }, time("datetime") { iso($0, " ", "+00:00") },
                Column("decimalLatitude") { $0.latitudeText }, Column("decimalLongitude") { $0.longitudeText },
                Column("h_acc", .accuracy) { "\($0.accuracy).0" },
            ]),
    ]
}
