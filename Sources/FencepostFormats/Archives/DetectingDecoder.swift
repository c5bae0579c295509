internal import FencepostModel

/// Decodes the content of an archive or a compressed file, whose format is found from its name and its first bytes.
final class DetectingDecoder: RecordDecoder {
    private let context: DecoderContext
    private var head: [UInt8] = []
    private var decoder: (any RecordDecoder)?
    private var ownFailure: Diagnostic?
    /// Whether the name or the content says that the file contains locations.
    private(set) var isCertain = false

    var failure: Diagnostic? { ownFailure ?? decoder?.failure }

    init(_ context: DecoderContext) {
        self.context = context
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard ownFailure == nil else { return }
        if let decoder { return decoder.decode(chunk, into: &records) }
        head.append(contentsOf: chunk)
        start(isComplete: false, into: &records)
    }

    func finish(into records: inout [Decoded]) {
        if decoder == nil { start(isComplete: true, into: &records) }
        guard ownFailure == nil else { return }
        decoder?.finish(into: &records)
    }

    private func start(isComplete: Bool, into records: inout [Decoded]) {
        let named = context.fileName.flatMap { LocationFormat(fileName: $0) }
        guard named != nil || isComplete || head.count >= 65_536 else { return }
        guard !head.isEmpty || named != nil else {
            ownFailure = context.diagnostic(Rejection(.invalidShape, "the file is empty"), at: .file)
            return
        }
        let isArchived = context.fileName?.lowercased().contains(".json") ?? false
        let found =
            named
            ?? (isArchived
                ? LocationFormat(archivedJSON: head) : LocationFormat(head: head, isComplete: true))
        guard let found else {
            ownFailure = context.diagnostic(Rejection(.invalidShape, "the file contains no locations"), at: .file)
            return
        }
        // Any text file can be called .csv; the others are what their name says.
        isCertain = found != .csv
        guard let decoder = makeDecoder(found) else {
            ownFailure = context.diagnostic(
                Rejection(.invalidShape, "an archive within an archive is not read: unpack it first"), at: .file)
            return
        }
        self.decoder = decoder
        head.withUnsafeBufferPointer { decoder.decode($0, into: &records) }
        head = []
    }

    /// `nil` for an archive: an archive has files, since each level of compression multiplies what a file becomes.
    private func makeDecoder(_ format: LocationFormat) -> (any RecordDecoder)? {
        switch format {
        case .zip, .gzip, .kmz: nil
        case .ndjson, .csv, .gpx, .tcx, .geojson, .kml, .nmea, .owntracks, .google, .json, .dawarich, .geopulse, .arc:
            format.makeDecoder(context)
        }
    }
}
