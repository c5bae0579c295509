internal import FencepostModel

/// Collects the records of a document.
struct RecordSink {
    let context: DecoderContext
    var records: [Decoded] = []
    var names = DeviceNames()
    /// The devices of rejected records of a request, where known.
    private(set) var devices: [Int: DeviceID] = [:]
    /// The number of records, including those beyond the limit.
    private(set) var count = 0
    private let limit: Int?

    /// A sink without records. `limit` is the maximum number of records of a request; `nil` for files, whose records
    /// are passed on.
    init(_ context: DecoderContext, limit: Int? = nil) {
        self.context = context
        self.limit = limit
    }

    mutating func append(_ raw: RawFix) {
        guard !isFull() else { return }
        let position = nextPosition()
        let record = context.decoded(raw, at: position)
        if limit != nil, case .rejected = record, case .index(let index) = position { devices[index] = raw.deviceID }
        records.append(record)
    }

    /// Whether the limit is reached; then the record is only counted.
    private mutating func isFull() -> Bool {
        guard let limit, count >= limit else { return false }
        count += 1
        return true
    }

    /// Adds a record, as a location or as the rejection of its line.
    mutating func append(_ raw: Result<RawFix, Rejection>, line: Int) {
        do throws(Rejection) {
            let location = try context.location(from: try raw.get())
            records.append(.location(location, at: nextPosition()))
        } catch {
            append(Rejection(error.code, "\(error.message) (line \(line))"))
        }
    }

    mutating func append(_ report: PhoneReport) {
        guard !isFull() else { return }
        records.append(.reported(report, at: nextPosition()))
    }

    mutating func append(_ rejection: Rejection) {
        guard !isFull() else { return }
        records.append(context.rejected(rejection, at: nextPosition()))
    }

    /// Records an interruption of the recording, unless nothing precedes it.
    mutating func appendGap() {
        if count > 0 { records.append(.gap) }
    }

    private mutating func nextPosition() -> Diagnostic.Position {
        defer { count += 1 }
        return .index(count)
    }
}
