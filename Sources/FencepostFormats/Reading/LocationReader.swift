public import FencepostModel

/// Reads locations in any format from a source, as bytes arrive.
///
/// It holds one read of the source and at most one record, so memory does not grow with the file. What is compressed is decoded
/// in small steps.
public struct LocationReader: ~Copyable {
    /// How a source is read.
    public struct Options: Sendable {
        /// `nil` detects it from the name and the first bytes.
        public var format: LocationFormat?
        /// The name given by the user, for diagnostics and the format; `nil` for standard input.
        public var fileName: String?
        /// Which fixes are accepted.
        public var rules: FixRules

        /// Options for one source.
        ///
        /// - Parameters:
        ///   - format: the format; `nil` detects it from the name and the first bytes.
        ///   - fileName: the name given by the user; `nil` for standard input.
        ///   - rules: which fixes are accepted; by default the device of a record without one is `default`.
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
    /// The bytes of the buffer that were read and not decoded yet.
    private var rest = 0..<0
    /// Compressed bytes that are decoded at a time: they can become a thousand times as many, each with a record.
    private static let compressedStep = 256
    private var decoder: (any RecordDecoder)?
    /// The bytes read before the format was known.
    private var head: [UInt8] = []
    private var isSourceAtEnd = false
    /// Whether the decoder has nothing more.
    private var isAtEnd = false
    /// Known after the first records, or from the start if the options contain it.
    public private(set) var format: LocationFormat?
    /// The problem with the file as a whole, after which an import stores nothing of it. Also returned as the last
    /// record.
    public private(set) var failure: Diagnostic?

    private var droppedCounter: DropCounter?
    /// The members beyond their ranges, which the locations so far are without (rule L10).
    public var dropped: DroppedMembers { droppedCounter?.members ?? DroppedMembers() }

    private var noteList: NoteList?
    /// What is not used of the input, such as columns of a table with names that are not known; at most 100 warnings.
    public var notes: [Diagnostic] { noteList?.notes ?? [] }

    /// The number of bytes read from the source.
    public private(set) var bytesRead = 0

    /// A reader that takes over the source and reads nothing yet.
    public init(_ source: consuming ByteSource, options: Options = Options()) {
        self.source = source
        self.options = options
        format = options.format ?? options.fileName.flatMap { LocationFormat(fileName: $0) }
    }

    /// Waits for the next bytes and returns the records that they complete, in the order of the source.
    ///
    /// It reads once per call, so a caller with live input regains control between reads.
    ///
    /// - Returns: no records if the bytes complete none; `nil` at the end.
    /// - Throws: if the source cannot be read, or a signal interrupted the wait.
    public mutating func next() throws(ByteSourceError) -> [Decoded]? {
        var records: [Decoded] = []
        if !isAtEnd {
            if !rest.isEmpty {
                decodeRest(into: &records)
                return finishStep(records)
            }
            var count = 0
            if !isSourceAtEnd {
                do {
                    count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
                } catch let error as ByteSourceError {
                    throw error
                } catch {
                    preconditionFailure("a source throws ByteSourceError: \(error)")
                }
            }
            bytesRead += count
            if count == 0 {
                if !isSourceAtEnd { start(isComplete: true, into: &records) }
                isSourceAtEnd = true
                isAtEnd = failure != nil || decoder?.finishStep(into: &records) ?? true
            } else if decoder == nil {
                head.append(contentsOf: buffer[..<count])
                start(isComplete: false, into: &records)
            } else {
                rest = 0..<count
                decodeRest(into: &records)
            }
        }
        return finishStep(records)
    }

    /// Decodes what was read; of a compressed file a part.
    private mutating func decodeRest(into records: inout [Decoded]) {
        let end = format == .gzip ? min(rest.lowerBound + Self.compressedStep, rest.upperBound) : rest.upperBound
        buffer.withUnsafeBufferPointer {
            decoder?.decode(UnsafeBufferPointer(rebasing: $0[rest.lowerBound..<end]), into: &records)
        }
        rest = end..<rest.upperBound
    }

    private mutating func finishStep(_ found: [Decoded]) -> [Decoded]? {
        var records = found
        if failure == nil, let problem = decoder?.failure {
            failure = problem
            isAtEnd = true
            rest = 0..<0
            records.append(.rejected(problem))
        }
        return records.isEmpty && isAtEnd ? nil : records
    }

    /// Starts decoding once the format is known.
    private mutating func start(isComplete: Bool, into records: inout [Decoded]) {
        guard decoder == nil else { return }
        format = format ?? LocationFormat(head: head, isComplete: isComplete)
        guard let format else { return }
        let context = DecoderContext(fileName: options.fileName, rules: options.rules)
        droppedCounter = context.dropped
        noteList = context.notes
        let decoder = format.makeDecoder(context)
        self.decoder = decoder
        if format == .gzip, head.count <= buffer.count {
            // Small steps for it too.
            buffer.replaceSubrange(..<head.count, with: head)
            rest = 0..<head.count
            decodeRest(into: &records)
        } else {
            head.withUnsafeBufferPointer { decoder.decode($0, into: &records) }
        }
        head = []
    }
}

extension LocationFormat {
    func makeDecoder(_ context: DecoderContext) -> any RecordDecoder {
        switch self {
        case .ndjson: NDJSONDecoder(context)
        case .csv: CSVDecoder(context)
        case .gpx: XMLDecoder(context, shape: GPXShape())
        case .tcx: XMLDecoder(context, shape: TCXShape())
        case .geojson: JSONDocumentDecoder<GeoJSONShape>(context)
        case .kml: XMLDecoder(context, shape: KMLShape())
        case .kmz: ZipDecoder(context, selection: .firstKML)
        case .zip: ZipDecoder(context, selection: .all)
        case .gzip: GzipDecoder(context)
        case .dawarich: DawarichDecoder(context)
        case .geopulse: JSONDocumentDecoder<GeoPulseShape>(context)
        case .arc: JSONDocumentDecoder<ArcShape>(context)
        case .nmea: NMEADecoder(context)
        case .owntracks: OwnTracksDecoder(context)
        case .google: JSONDocumentDecoder<GoogleShape>(context)
        case .json: JSONDocumentDecoder<NativeDocument>(context)
        }
    }
}
