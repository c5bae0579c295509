/// The row of column names of a table: what each column contains.
struct CSVHeader {
    let separator: UInt8
    /// `nil` for a column that is not used.
    private(set) var columns: [CSVColumn?]
    /// The columns without the later ones of the same meaning; these count where the first is empty, and must not contradict it.
    private(set) var first: [CSVColumn.Meaning: Int] = [:]
    /// The columns of time zones, of which all must agree.
    private(set) var zones: [Int] = []
    /// Columns that are not used, and why, in words.
    private(set) var notes: [String] = []
    /// Whether the names are not UTF-8 but Windows-1252, so the values are as well.
    let isWindows: Bool

    /// The separators of tables, the more frequent first.
    static let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")]

    /// `nil` if the row does not name a latitude and a longitude.
    init?(row: [UInt8], separator: UInt8) {
        self.separator = separator
        isWindows = String(validating: row, as: UTF8.self) == nil
        let names = CSVSplitter.values(of: row, separator: separator).map { [isWindows] in
            $0.text(isWindows: isWindows) ?? ""
        }
        var found = names.map { name in CSVColumn(heading: name).flatMap { $0.isUsable ? $0 : nil } }
        Self.joinDates(&found)
        Self.dropWeak(&found)
        Self.preferTopics(&found)
        let isOfTraccar = Self.useTraccarUnits(&found, names)
        columns = found
        for (index, column) in found.enumerated() {
            guard let column else { continue }
            if first[column.meaning] == nil { first[column.meaning] = index }
            if column.meaning == .zone { zones.append(index) }
        }
        guard first[.latitude] != nil, first[.longitude] != nil else { return nil }
        note(names)
        if isOfTraccar {
            notes.append("as Traccar exports it, speeds are knots; its times have no zone, and are read as UTC")
        }
    }

    /// Gives the columns of a table that Traccar has exported its units, which their headings lack.
    ///
    /// - Returns: whether the table is one.
    private static func useTraccarUnits(_ columns: inout [CSVColumn?], _ names: [String]) -> Bool {
        guard Set(names).isSuperset(of: ["fixTime", "deviceTime", "serverTime", "protocol"]) else { return false }
        for (index, column) in columns.enumerated() {
            guard let column, column.factor == nil || column.meaning == .batteryLevel else { continue }
            switch column.meaning {
            case .speed: columns[index] = CSVColumn(column, unit: "kn") ?? column
            case .batteryLevel: columns[index] = CSVColumn(column, unit: "%") ?? column
            case .latitude, .longitude, .time, .date, .clock, .millisecond, .zone, .validity, .northSouth, .eastWest,
                .altitude, .accuracy, .verticalAccuracy, .course, .floor, .batteryState, .isSimulated, .device, .source,
                .trigger:
                break
            }
        }
        return true
    }

    /// Times of day belong to a column of dates; without one a column `time` has whole times.
    private static func joinDates(_ columns: inout [CSVColumn?]) {
        func indices(of meaning: CSVColumn.Meaning) -> [Int] {
            columns.indices.filter { columns[$0]?.meaning == meaning }
        }
        // UTC before local times.
        for meaning in [CSVColumn.Meaning.date, .time, .clock] {
            let all = indices(of: meaning)
            guard all.contains(where: { columns[$0]?.isLocal == false }) else { continue }
            let local = all.filter { columns[$0]?.isLocal == true }
            // A time zone is that of the local times.
            for index in local.isEmpty ? [] : local + indices(of: .zone) { columns[index] = nil }
        }
        // `data` is Italian and Portuguese for a date, and English for anything.
        if indices(of: .clock).isEmpty, !indices(of: .time).isEmpty {
            for index in indices(of: .date) where columns[index]?.heading.lowercased() == "data" {
                columns[index] = nil
            }
        }
        if indices(of: .date).isEmpty {
            for index in indices(of: .clock) { columns[index] = columns[index].map { CSVColumn($0, as: .time) } }
        } else if indices(of: .clock).isEmpty {
            let clock = indices(of: .time).first { index in
                columns[index].map { column in
                    let heading = column.heading.lowercased()
                    return ["time", "zeit"].contains { heading.contains($0) }
                        && !["date", "stamp", "datum", "stempel"].contains { heading.contains($0) }
                        && (column.factor ?? 0) == 0
                } ?? false
            }
            if let clock {
                columns[clock] = columns[clock].map { CSVColumn($0, as: .clock) }
            } else if indices(of: .time).isEmpty {
                for index in indices(of: .date) { columns[index] = columns[index].map { CSVColumn($0, as: .time) } }
            }
        }
        if indices(of: .date).isEmpty || indices(of: .clock).isEmpty {
            for index in indices(of: .date) + indices(of: .millisecond) { columns[index] = nil }
        } else {
            for index in indices(of: .time) { columns[index] = nil }
        }
    }

    /// `x` and `y` count only where no other column has the coordinate.
    private static func dropWeak(_ columns: inout [CSVColumn?]) {
        for meaning in [CSVColumn.Meaning.latitude, .longitude]
        where columns.contains(where: { $0?.meaning == meaning && $0?.isWeak == false }) {
            for index in columns.indices where columns[index]?.meaning == meaning && columns[index]?.isWeak == true {
                columns[index] = nil
            }
        }
    }

    /// The topic of OwnTracks names the device; the tracker id is two letters, which several phones can have.
    private static func preferTopics(_ columns: inout [CSVColumn?]) {
        guard columns.contains(where: { $0?.isTopic ?? false }) else { return }
        for index in columns.indices where columns[index]?.meaning == .device && columns[index]?.isTopic == false {
            columns[index] = nil
        }
    }

    /// The names with the units of a row below them; `nil` for a row with anything else.
    func with(units cells: [String]) -> CSVHeader? {
        var header = self
        var hasUnit = false
        for (index, cell) in cells.enumerated() where !cell.isEmpty {
            guard index < columns.count, let column = columns[index] else {
                // The unit of a column that is not used.
                guard !cell.contains(where: \.isNumber) || "([{".contains(cell.first ?? " ") else { return nil }
                continue
            }
            guard let column = CSVColumn(column, unit: cell) else { return nil }
            header.columns[index] = column
            hasUnit = true
        }
        return hasUnit ? header : nil
    }

    private mutating func note(_ names: [String]) {
        let unused = names.indices.filter { columns[$0] == nil && !names[$0].isEmpty }.map {
            "\"\(names[$0].shortened)\""
        }
        if !unused.isEmpty {
            let more = unused.count > 12 ? " and \(unused.count - 12) more" : ""
            notes.append(
                "columns that are not used: " + unused.prefix(12).joined(separator: ", ") + more)
        }
        for (index, column) in columns.enumerated() {
            guard let column, let earlier = first[column.meaning], earlier != index, !column.meaning.isCompared,
                column.meaning != .zone, column.meaning != .validity, let other = columns[earlier]
            else { continue }
            notes.append(
                "the column \"\(column.heading.shortened)\" counts only where \"\(other.heading.shortened)\" is empty: "
                    + "both have the \(column.meaning.rawValue)")
        }
    }

    /// The number of columns whose meaning is known.
    var known: Int { columns.count { $0 != nil } }

    /// Why a row of names without coordinates is not enough, where its names say it.
    static func hint(for row: [UInt8]) -> String {
        let letters = Set(
            (row.text(isWindows: String(validating: row, as: UTF8.self) == nil) ?? "").lowercased()
                .split { !$0.isLetter && !$0.isNumber }.map(String.init))
        func names(_ words: [String]) -> String? { words.first { letters.contains($0) } }
        if let name = names(["coordinates", "latlng", "latlon", "lonlat", "position", "koordinaten", "coords"]) {
            return ": the column \"\(name)\" has both in one value, divide it into two columns"
        }
        if let name = names(["wkt", "geom", "geometry", "wkb"]) {
            return
                ": the column \"\(name)\" has a geometry, export its coordinates as the columns latitude and longitude"
        }
        if let name = names(["easting", "northing", "utm", "mgrs", "hochwert", "rechtswert"]) {
            return ": \"\(name)\" is of a projection, convert the coordinates to WGS 84"
        }
        if let name = names(["geohash", "h3", "what3words", "pluscode"]) {
            return ": \"\(name)\" is a code of an area, convert it to coordinates"
        }
        let words = (row.text(isWindows: false) ?? "").split { ",;\t|\"".contains($0) }
        if let name = words.first(where: { $0.lowercased().contains("lat") }), name.count <= 40 {
            return ": \"\(name)\" is not certain to be one, rename the columns that are meant to latitude and longitude"
        }
        return ""
    }
}

extension CSVColumn.Meaning {
    /// Whether two columns with this meaning must agree: where and when a location is.
    var isCompared: Bool {
        switch self {
        case .latitude, .longitude, .time: true
        case .date, .clock, .millisecond, .zone, .validity, .northSouth, .eastWest, .altitude, .speed, .accuracy,
            .verticalAccuracy,
            .course,
            .floor, .batteryLevel, .batteryState, .isSimulated, .device, .source, .trigger:
            false
        }
    }
}

extension String {
    /// At most 40 characters of a heading.
    fileprivate var shortened: String { count > 40 ? prefix(40) + "…" : self }
}

extension Collection<UInt8> {
    /// The bytes as text; `nil` if they are not UTF-8. Windows-1252 has a character for each byte but five.
    func text(isWindows: Bool) -> String? {
        guard isWindows else { return String(validating: self, as: UTF8.self) }
        var text = ""
        for byte in self {
            text.unicodeScalars.append(Unicode.Scalar(windows1252: byte))
        }
        return text
    }
}

extension Unicode.Scalar {
    /// A character of Windows-1252; the five bytes without one are U+FFFD.
    fileprivate init(windows1252 byte: UInt8) {
        let block: [UInt32] = [
            0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
            0xFFFD,
            0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
            0x203A,
            0x0153, 0xFFFD, 0x017E, 0x0178,
        ]
        self = Unicode.Scalar((0x80..<0xA0).contains(byte) ? block[Int(byte) - 0x80] : UInt32(byte)) ?? "\u{FFFD}"
    }
}
