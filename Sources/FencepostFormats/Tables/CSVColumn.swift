/// A column of a table: what its heading says.
struct CSVColumn {
    let meaning: Meaning
    /// From the unit of the heading to that of the location: metres, metres per second, degrees, a share, or seconds since 1970.
    /// `nil` where the heading has no unit.
    let factor: Double?
    /// As in the file.
    let heading: String
    /// Whether the heading says that the times are local ones.
    let isLocal: Bool
    /// Whether the heading or the unit says that the times are those of UTC.
    let isUTC: Bool
    /// Whether nothing says that the battery level is a percentage or a share: `battery`.
    let isShareOrPercent: Bool
    /// `x` and `y`, which also name projected coordinates: they count only where no other column has the coordinate.
    let isWeak: Bool

    /// Whether the devices are topics of OwnTracks.
    var isTopic: Bool { meaning == .device && heading.lowercased() == "topic" }

    /// What a column contains; the raw values appear in messages.
    enum Meaning: String {
        case latitude, longitude, time, altitude, speed
        /// Of a time in two columns.
        case date, clock = "time of day", millisecond
        case zone = "time zone"
        /// Whether the receiver had a position.
        case validity
        case northSouth = "N or S", eastWest = "E or W"
        case accuracy, verticalAccuracy = "vertical accuracy"
        case course, floor
        case batteryLevel = "battery level"
        case batteryState = "battery state"
        case isSimulated, device, source, trigger
    }

    private enum Quantity { case length, speed, angle, coordinate, share, moment, offset, none }

    /// `nil` for a heading that names no known column, or a unit that does not fit it.
    init?(heading: String) {
        let heading = String(heading.trimmingPrefix { $0.isWhitespace || $0 == "\u{FEFF}" })
        self.heading = heading
        let lowercased = heading.lowercased()
        isLocal = lowercased.contains("local") || lowercased.contains("lokal")
        isUTC = lowercased.contains("utc") || lowercased.contains("gmt")
        isShareOrPercent =
            ["battery", "batt"].contains(lowercased.filter { $0.isLetter || !$0.isASCII })
            && !lowercased.contains("%")
        if let (meaning, factor) = Self.exact(heading) {
            (self.meaning, self.factor) = (meaning, factor)
        } else if let (name, unit) = Self.divided(lowercased), let (meaning, _) = Self.exact(name),
            let factor = Self.factor(of: unit, for: Self.quantity(of: meaning))
        {
            (self.meaning, self.factor) = (meaning, factor)
        } else {
            return nil
        }
        isWeak = ["x", "y"].contains(Self.letters(of: heading))
    }

    /// A copy with another meaning, which follows from the other columns.
    init(_ column: CSVColumn, as meaning: Meaning) {
        self.meaning = meaning
        (factor, heading, isLocal, isWeak) = (column.factor, column.heading, column.isLocal, column.isWeak)
        (isUTC, isShareOrPercent) = (column.isUTC, column.isShareOrPercent)
    }

    /// A copy with the unit that a row below the headings has, with or without brackets; `nil` for another text,
    /// and for another unit than in the heading.
    init?(_ column: CSVColumn, unit: String) {
        let unit = unit.lowercased().filter { !"()[]{} ".contains($0) }
        guard let own = column.factor(ofValue: unit), column.headingUnit ?? own == own else { return nil }
        (meaning, factor, heading, isWeak) = (column.meaning, own, column.heading, column.isWeak)
        isLocal = column.isLocal || unit == "local"
        isUTC = column.isUTC || ["utc", "gmt", "z"].contains(unit)
        isShareOrPercent = false
    }

    /// The factor of the unit that the heading names.
    private var headingUnit: Double? {
        Self.exact(heading) == nil ? factor : nil
    }

    /// The factor of a unit that a value has behind it, as in `12 m`; `nil` for one that does not fit.
    func factor(ofValue unit: String) -> Double? {
        Self.factor(of: unit, for: Self.quantity(of: meaning))
    }

    private static func letters(of name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// Divides a heading into its name and its unit: `accuracy(m)`, `Speed [km/h]`, `altitude_ft`, `Speed, mph`.
    private static func divided(_ heading: String) -> (name: String, unit: String)? {
        if let start = heading.firstIndex(where: { "([{".contains($0) }), start > heading.startIndex {
            return (String(heading[..<start]), String(heading[start...].filter { !"()[]{} ".contains($0) }))
        }
        guard let end = heading.lastIndex(where: { "_ ,-:.".contains($0) }) else { return nil }
        return (String(heading[..<end]), String(heading[heading.index(after: end)...]))
    }

    private static func quantity(of meaning: Meaning) -> Quantity {
        switch meaning {
        case .altitude, .accuracy, .verticalAccuracy: .length
        case .speed: .speed
        case .course: .angle
        case .latitude, .longitude: .coordinate
        case .batteryLevel: .share
        case .time, .date, .clock: .moment
        case .zone: .offset
        case .millisecond, .validity, .northSouth, .eastWest, .floor, .batteryState, .isSimulated, .device, .source,
            .trigger:
            .none
        }
    }

    /// A factor of 0 is a moment without a unit: a text, or seconds or milliseconds by their size.
    private static func factor(of unit: String, for quantity: Quantity) -> Double? {
        switch (quantity, unit) {
        case (.length, "m"), (.length, "meters"), (.length, "metres"), (.length, "meter"), (.length, "metre"): 1
        case (.length, "ft"), (.length, "feet"), (.length, "foot"): 0.3048
        case (.length, "km"): 1000
        case (.speed, "m/s"), (.speed, "mps"), (.speed, "ms"), (.speed, "m/sec"), (.speed, "ms-1"), (.speed, "m s-1"): 1
        case (.speed, "km/h"), (.speed, "kmh"), (.speed, "kph"), (.speed, "kmph"): 1 / 3.6
        case (.speed, "mph"), (.speed, "mi/h"): 0.44704
        case (.speed, "kn"), (.speed, "kt"), (.speed, "kts"), (.speed, "knots"), (.speed, "knot"): 1852.0 / 3600
        case (.angle, "deg"), (.angle, "degrees"), (.angle, "°"), (.angle, "degree"): 1
        case (.coordinate, "deg"), (.coordinate, "degrees"), (.coordinate, "°"), (.coordinate, "degree"),
            (.coordinate, "n/s"), (.coordinate, "e/w"), (.coordinate, "wgs84"), (.coordinate, "decimal"),
            (.coordinate, "dd"),
            (.coordinate, "epsg4326"), (.coordinate, "epsg:4326"):
            1
        case (.coordinate, "e7"): 1e-7
        case (.coordinate, "semicircles"): 180 / 2_147_483_648
        case (.share, "%"), (.share, "percent"), (.share, "pct"): 0.01
        case (.moment, "utc"), (.moment, "gmt"), (.moment, "iso8601"), (.moment, "iso"), (.moment, "z"),
            (.moment, "local"):
            0
        case (.moment, "s"), (.moment, "sec"), (.moment, "seconds"), (.moment, "unix"), (.moment, "epoch"): 1
        case (.moment, "ms"), (.moment, "msec"), (.moment, "milliseconds"), (.moment, "millis"): 1e-3
        case (.moment, "us"), (.moment, "µs"), (.moment, "μs"), (.moment, "microseconds"): 1e-6
        case (.moment, "ns"), (.moment, "nanoseconds"): 1e-9
        case (.offset, "h"), (.offset, "hours"), (.offset, "hour"), (.offset, "hrs"): 3600
        case (.offset, "min"), (.offset, "minutes"), (.offset, "mins"): 60
        case (.offset, "s"), (.offset, "sec"), (.offset, "seconds"): 1
        case (.length, _), (.speed, _), (.angle, _), (.coordinate, _), (.share, _), (.moment, _), (.offset, _),
            (.none, _):
            nil
        }
    }

    /// What a heading without a unit says. Case, spaces, underscores and other marks do not count.
    private static func exact(_ name: String) -> (Meaning, Double?)? {
        let letters = letters(of: name)
        if ["speedkmh", "velocity", "vel"].contains(letters) { return (.speed, 1 / 3.6) }
        if let meaning = meanings[letters] { return (meaning, nil) }
        if ["battery", "batt", "batterypercent", "batterypercentage"].contains(letters) {
            return (.batteryLevel, 0.01)
        }
        for (suffix, meaning) in [("latitudee7", Meaning.latitude), ("longitudee7", .longitude)] where letters == suffix
        {
            return (meaning, 1e-7)
        }
        for prefix in ["gps", "location", "position", "decimal", "wgs84", "geo", "utc", "local", "lokal"]
        where letters.hasPrefix(prefix) {
            guard let meaning = meanings[String(letters.dropFirst(prefix.count))], takesPrefix(meaning) else {
                continue
            }
            return (meaning, nil)
        }
        // Words of German, French, Spanish, Italian, Portuguese and Dutch. A speed is left out: it may be in any unit.
        return foreign[letters].map { ($0, nil) }
    }

    private static func takesPrefix(_ meaning: Meaning) -> Bool {
        switch meaning {
        case .latitude, .longitude, .time, .date, .altitude, .speed, .accuracy, .course: true
        case .clock, .millisecond, .zone, .validity, .northSouth, .eastWest, .verticalAccuracy, .floor, .batteryLevel,
            .batteryState,
            .isSimulated, .device, .source, .trigger:
            false
        }
    }

    private static let meanings: [String: Meaning] = [
        "lat": .latitude, "latitude": .latitude, "y": .latitude, "latitudens": .latitude,
        "lon": .longitude, "lng": .longitude, "longitude": .longitude, "x": .longitude, "long": .longitude,
        "longitudeew": .longitude,
        "ns": .northSouth, "latitudehemisphere": .northSouth, "latdir": .northSouth, "latref": .northSouth,
        "latituderef": .northSouth, "northsouth": .northSouth, "lathemisphere": .northSouth, "nsindicator": .northSouth,
        "ew": .eastWest, "longitudehemisphere": .eastWest, "londir": .eastWest, "lonref": .eastWest,
        "lngref": .eastWest,
        "longituderef": .eastWest, "eastwest": .eastWest, "lonhemisphere": .eastWest, "ewindicator": .eastWest,
        "time": .time, "timestamp": .time, "datetime": .time, "tst": .time, "dateandtime": .time,
        "fixtime": .time, "recordedat": .time, "basedatetime": .time, "isotime": .time, "epochtime": .time,
        "unixtime": .time,
        "valid": .validity, "isvalid": .validity, "gpsvalid": .validity, "fixvalid": .validity, "validfix": .validity,
        "fix": .validity, "gpsfix": .validity, "hasfix": .validity, "fixstatus": .validity, "fixtype": .validity,
        "fixmode": .validity, "fixquality": .validity,
        "timezone": .zone, "tz": .zone, "utcoffset": .zone, "gmtoffset": .zone, "tzoffset": .zone,
        "timezoneoffset": .zone, "timezoneid": .zone, "timezonename": .zone, "tzid": .zone, "tzname": .zone,
        "offsetutc": .zone, "offsetgmt": .zone, "offsetfromutc": .zone,
        "date": .date, "ms": .millisecond, "millisecond": .millisecond, "milliseconds": .millisecond,
        "alt": .altitude, "ele": .altitude, "altitude": .altitude, "elevation": .altitude, "elev": .altitude,
        "height": .altitude, "heightabovemsl": .altitude, "altitudemsl": .altitude,
        "speed": .speed, "groundspeed": .speed,
        "accuracy": .accuracy, "acc": .accuracy, "horizontalaccuracy": .accuracy, "hacc": .accuracy,
        "verticalaccuracy": .verticalAccuracy, "vacc": .verticalAccuracy, "altitudeaccuracy": .verticalAccuracy,
        "course": .course, "bearing": .course, "heading": .course, "cog": .course, "direction": .course,
        "floor": .floor, "batterylevel": .batteryLevel, "batterystate": .batteryState, "issimulated": .isSimulated,
        "device": .device, "deviceid": .device, "trackerid": .device, "tid": .device, "devicename": .device,
        "topic": .device,
        "source": .source, "trigger": .trigger,
    ]

    private static let foreign: [String: Meaning] = [
        "breite": .latitude, "breitengrad": .latitude, "geographischebreite": .latitude, "latitud": .latitude,
        "latitudine": .latitude, "breedtegraad": .latitude,
        "länge": .longitude, "längengrad": .longitude, "geographischelänge": .longitude, "longitud": .longitude,
        "longitudine": .longitude, "lengtegraad": .longitude,
        "zeit": .time, "zeitstempel": .time, "datumuhrzeit": .time, "datumundzeit": .time, "horodatage": .time,
        "dateheure": .time, "fechahora": .time, "fechayhora": .time, "dataora": .time, "datahora": .time,
        "dateetheure": .time, "datumzeit": .time, "datumunduhrzeit": .time, "dataeora": .time, "dataehora": .time,
        "datumentijd": .time, "datumtijd": .time, "tijdstip": .time,
        "datum": .date, "fecha": .date, "data": .date,
        "uhrzeit": .clock, "heure": .clock, "hora": .clock, "ora": .clock, "tijd": .clock,
        "zeitzone": .zone, "fuseauhoraire": .zone, "zonahoraria": .zone, "husohorario": .zone, "fusoorario": .zone,
        "fusohorário": .zone, "fusohorario": .zone, "tijdzone": .zone,
        "höhe": .altitude, "altitud": .altitude, "quota": .altitude, "altitudine": .altitude, "hoogte": .altitude,
        "geschwindigkeit": .speed, "vitesse": .speed, "velocidad": .speed, "velocità": .speed, "velocidade": .speed,
        "snelheid": .speed,
        "genauigkeit": .accuracy, "précision": .accuracy, "precisión": .accuracy, "precisione": .accuracy,
        "precisão": .accuracy, "nauwkeurigheid": .accuracy,
        "richtung": .course, "kurs": .course, "cap": .course, "rumbo": .course, "koers": .course,
        "gerät": .device, "appareil": .device, "dispositivo": .device, "apparaat": .device,
    ]

    /// Whether the speed of this heading has a unit, or is named as programs name metres per second; a direction without a
    /// unit may be a word.
    var isUsable: Bool {
        if meaning == .course, factor == nil, heading.lowercased() == "direction" { return false }
        return meaning != .speed || factor != nil || Self.meanings[Self.letters(of: heading)] == .speed
            || heading.lowercased().contains("speed")
    }
}
