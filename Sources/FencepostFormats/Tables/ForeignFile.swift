/// A file in a format that is not read, by its first bytes: what a message names, with what to do.
enum ForeignFile {
    case fit, spreadsheet, database, document, archive, compressed, json, xml, oziExplorer, baseCamp, igc, binary

    /// `nil` for what may be a table. `start` has the first line, or its first bytes.
    init?(start: [UInt8]) {
        let text = start.prefix(64)
        func begins(_ mark: StaticString) -> Bool {
            text.starts(with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
        }
        // FIT has its name after eight bytes of its header; no text has a byte 0.
        if text.dropFirst(8).starts(with: ".FIT".utf8) {
            self = .fit
        } else if begins("SQLite format 3") {
            self = .database
        } else if text.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            self = .spreadsheet
        } else if begins("%PDF") {
            self = .document
        } else if text.starts(with: [0x37, 0x7A, 0xBC, 0xAF]) || begins("Rar!") {
            self = .archive
        } else if text.starts(with: [0x1F, 0x8B]) || begins("BZh") || text.starts(with: [0xFD, 0x37, 0x7A, 0x58])
            || text.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
        {
            self = .compressed
        } else if begins("OziExplorer") {
            self = .oziExplorer
        } else if begins("Grid\t") {
            self = .baseCamp
        } else if begins("<") {
            self = .xml
        } else if begins("{") || begins("[") {
            self = .json
        } else if begins("A"), start.count <= 80,
            start.dropFirst(1).prefix(3).allSatisfy({ (0x41...0x5A).contains($0) }),
            !start.contains(where: { CSVHeader.separators.contains($0) || $0 == 0x20 })
        {
            self = .igc
        } else if text.prefix(14).contains(0) {
            self = .binary
        } else {
            return nil
        }
    }

    var rejection: Rejection {
        let message =
            switch self {
            case .fit: "this is a FIT file of a sports watch: convert it to GPX first (gpsbabel -i garmin_fit -o gpx)"
            case .spreadsheet: "this is a workbook of a spreadsheet: save it as CSV"
            case .database: "this is an SQLite database: export its table of locations as CSV"
            case .document: "this is a PDF document: export the locations as CSV or GPX"
            case .archive: "this is an archive that is not read: unpack it, or pack its files as .zip"
            case .compressed: "this is a compressed file that is not read here: decompress it, or use one level of .gz"
            case .json: "this is JSON and no table: name it .json, or choose its format"
            case .xml: "this is XML and no table: name it .gpx or .kml, or choose its format"
            case .oziExplorer:
                "this is a track of OziExplorer: convert it to GPX first (gpsbabel -i ozi -o gpx)"
            case .baseCamp: "this is a text of Garmin BaseCamp or MapSource: export GPX from it"
            case .igc: "this may be a flight log (IGC): convert it to GPX first (gpsbabel -i igc -o gpx)"
            case .binary: "this is a binary file of a format that is not read"
            }
        return Rejection(.invalidShape, message)
    }
}
