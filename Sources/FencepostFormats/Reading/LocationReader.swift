public import FencepostModel

/// Reads locations from a source in any of the formats, as they come.
///
/// It keeps one read of the source and at most one record: a file of any size needs the same memory.
public struct LocationReader: ~Copyable {
    public struct Options: Sendable {
        /// `nil` finds out from the name and the first bytes.
        public var format: LocationFormat?
        /// As the user gave it, for diagnostics and the format; `nil` for standard input.
        public var fileName: String?
        public var rules: FixRules

        /// - Parameter rules: which fixes are taken; by default the device of a record that names none is `default`.
        public init(
            format: LocationFormat? = nil, fileName: String? = nil,
            rules: FixRules = FixRules(defaultDevice: DeviceID("default"))
        ) {
            self.format = format
            self.fileName = fileName
            self.rules = rules
        }
    }

    private var source: ByteSource
    private let options: Options
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var decoder: (any RecordDecoder)?
    /// What was read before the format was known.
    private var head: [UInt8] = []
    private var isAtEnd = false
    /// Known after the first records, or from the start where the options say it.
    public private(set) var format: LocationFormat?
    /// What is wrong with the file as a whole: an import then stores nothing of it. Also given as the last record.
    public private(set) var failure: Diagnostic?

    /// How many bytes of the source have been read.
    public private(set) var bytesRead = 0

    public init(_ source: consuming ByteSource, options: Options = Options()) {
        self.source = source
        self.options = options
        format = options.format ?? options.fileName.flatMap { LocationFormat(fileName: $0) }
    }

    /// Waits for the next bytes and gives the records that are complete in them, in the order of the source.
    ///
    /// It reads once, so that whoever waits for live input keeps the reins between two reads.
    ///
    /// - Returns: no record when the bytes complete none; `nil` at the end.
    /// - Throws: when the source cannot be read, or a signal came while it was waited for.
    public mutating func next() throws(ByteSourceError) -> [Decoded]? {
        var records: [Decoded] = []
        if !isAtEnd {
            var count = 0
            do {
                count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            } catch let error as ByteSourceError {
                throw error
            } catch {
                preconditionFailure("a source throws its own error: \(error)")
            }
            bytesRead += count
            if count == 0 {
                isAtEnd = true
                start(isComplete: true, into: &records)
                if failure == nil { decoder?.finish(into: &records) }
            } else if decoder == nil {
                head.append(contentsOf: buffer[..<count])
                start(isComplete: false, into: &records)
            } else {
                buffer.withUnsafeBufferPointer {
                    decoder?.decode(UnsafeBufferPointer(rebasing: $0[..<count]), into: &records)
                }
            }
            if failure == nil, let found = decoder?.failure {
                failure = found
                isAtEnd = true
                records.append(.rejected(found))
            }
        }
        return records.isEmpty && isAtEnd ? nil : records
    }

    /// Begins to decode as soon as the format is known.
    private mutating func start(isComplete: Bool, into records: inout [Decoded]) {
        guard decoder == nil else { return }
        format = format ?? LocationFormat(head: head, isComplete: isComplete)
        guard let format else { return }
        let context = DecoderContext(fileName: options.fileName, rules: options.rules)
        let decoder = format.makeDecoder(context)
        self.decoder = decoder
        head.withUnsafeBufferPointer { decoder.decode($0, into: &records) }
        head = []
    }
}

extension LocationFormat {
    func makeDecoder(_ context: DecoderContext) -> any RecordDecoder {
        switch self {
        case .ndjson: NDJSONDecoder(context)
        case .csv: CSVDecoder(context)
        case .gpx: XMLDecoder(context, shape: GPXShape())
        case .geojson: JSONDocumentDecoder<GeoJSONShape>(context)
        case .kml: XMLDecoder(context, shape: KMLShape())
        case .kmz: KMZDecoder(context)
        case .nmea: NMEADecoder(context)
        case .owntracks: OwnTracksDecoder(context)
        case .google: JSONDocumentDecoder<GoogleShape>(context)
        case .json: JSONDocumentDecoder<NativeDocument>(context)
        }
    }
}
