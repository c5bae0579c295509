internal import FencepostModel

/// Where the records of a document go.
struct RecordSink {
    let context: DecoderContext
    var records: [Decoded] = []
    var names = DeviceNames()
    /// Whose the rejected records of a request were, as far as they say.
    private(set) var devices: [Int: DeviceID] = [:]
    /// How many records there were; those beyond the limit are only counted.
    private(set) var count = 0
    private let limit: Int?

    /// - Parameter limit: how many records are kept, of a request; `nil` is for files, of which each is handed on.
    init(_ context: DecoderContext, limit: Int? = nil) {
        self.context = context
        self.limit = limit
    }

    mutating func append(_ raw: RawFix) {
        guard !isFull() else { return }
        let place = nextPlace()
        let record = context.decoded(raw, at: place)
        if limit != nil, case .rejected = record, case .index(let index) = place { devices[index] = raw.deviceID }
        records.append(record)
    }

    /// Whether no more records are kept; then this one is counted.
    private mutating func isFull() -> Bool {
        guard let limit, count >= limit else { return false }
        count += 1
        return true
    }

    /// - Parameter line: where the record began, which its rejection then says.
    mutating func append(_ raw: Result<RawFix, Rejection>, line: Int) {
        do throws(Rejection) {
            let location = try context.rules.location(from: try raw.get())
            records.append(.location(location, at: nextPlace()))
        } catch {
            append(Rejection(error.code, "\(error.message) (line \(line))"))
        }
    }

    mutating func append(_ report: PhoneReport) {
        guard !isFull() else { return }
        records.append(.reported(report, at: nextPlace()))
    }

    mutating func append(_ rejection: Rejection) {
        guard !isFull() else { return }
        records.append(context.rejected(rejection, at: nextPlace()))
    }

    /// Notes that the recording was interrupted, once there is something before.
    mutating func appendGap() {
        if count > 0 { records.append(.gap) }
    }

    private mutating func nextPlace() -> Diagnostic.Place {
        defer { count += 1 }
        return .index(count)
    }
}
