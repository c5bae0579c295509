internal import FencepostModel

/// Where the records of a document go.
struct RecordSink {
    let context: DecoderContext
    var records: [Decoded] = []
    var names = DeviceNames()
    /// The place of the next record, from 0.
    private var index = 0

    init(_ context: DecoderContext) {
        self.context = context
    }

    mutating func append(_ raw: RawFix) {
        records.append(context.decoded(raw, at: nextPlace()))
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
        records.append(.reported(report, at: nextPlace()))
    }

    mutating func append(_ rejection: Rejection) {
        records.append(context.rejected(rejection, at: nextPlace()))
    }

    /// Notes that the recording was interrupted, once there is something before.
    mutating func appendGap() {
        if index > 0 { records.append(.gap) }
    }

    private mutating func nextPlace() -> Diagnostic.Place {
        defer { index += 1 }
        return .index(index)
    }
}
