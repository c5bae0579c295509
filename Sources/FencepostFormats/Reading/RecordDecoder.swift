internal import FencepostModel

/// One format: bytes in, in whatever pieces they come, records out.
protocol RecordDecoder: AnyObject {
    /// Takes the next bytes and appends every record that is complete in them.
    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded])

    /// Says that there are no more bytes.
    func finish(into records: inout [Decoded])

    /// What is wrong with the file as a whole; nothing is decoded after it.
    var failure: Diagnostic? { get }
}

/// What every decoder is told.
struct DecoderContext {
    /// As the user gave it; `nil` for standard input.
    var fileName: String?
    var rules: FixRules

    func rejected(_ rejection: Rejection, at place: Diagnostic.Place) -> Decoded {
        .rejected(diagnostic(rejection, at: place))
    }

    func diagnostic(_ rejection: Rejection, at place: Diagnostic.Place) -> Diagnostic {
        Diagnostic(code: rejection.code.rawValue, file: fileName, at: place, rejection.message)
    }

    /// What becomes of one record.
    func decoded(_ raw: RawFix, at place: Diagnostic.Place) -> Decoded {
        do throws(Rejection) {
            return .location(try rules.location(from: raw), at: place)
        } catch {
            return rejected(error, at: place)
        }
    }
}
