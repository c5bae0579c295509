internal import FencepostModel

/// A decoder for one format: bytes in, in chunks of any size, records out.
protocol RecordDecoder: AnyObject {
    /// Takes the next bytes and appends every record that they complete.
    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded])

    /// Ends the input.
    func finish(into records: inout [Decoded])

    /// Ends the input in steps, so that a caller regains control between them.
    ///
    /// - Returns: whether the input is ended; otherwise it is called again.
    func finishStep(into records: inout [Decoded]) -> Bool

    /// The problem with the file as a whole; nothing is decoded after it.
    var failure: Diagnostic? { get }
}

extension RecordDecoder {
    func finishStep(into records: inout [Decoded]) -> Bool {
        finish(into: &records)
        return true
    }
}

/// The members that the decoders of one input have dropped.
final class DropCounter {
    var members = DroppedMembers()
}

/// What is not wrong but not used either, which the decoders of one input have found.
final class NoteList {
    /// At most this many, because an archive may have any number of files.
    private static let limit = 100
    private(set) var notes: [Diagnostic] = []

    func add(_ note: Diagnostic) {
        if notes.count < NoteList.limit { notes.append(note) }
    }
}

/// The common parameters of decoders.
struct DecoderContext {
    /// The name given by the user; `nil` for standard input.
    var fileName: String?
    var rules: FixRules
    /// Shared by the decoders of one input, such as those of an archive and of the files in it.
    let dropped = DropCounter()
    /// Shared as well.
    let notes = NoteList()

    /// A file name as given by the user, and the rules by which fixes are accepted.
    init(fileName: String? = nil, rules: FixRules) {
        (self.fileName, self.rules) = (fileName, rules)
    }

    /// The location of a record, whose dropped members are counted.
    func location(from raw: RawFix) throws(Rejection) -> Location {
        try rules.location(from: raw, dropping: &dropped.members)
    }

    func rejected(_ rejection: Rejection, at position: Diagnostic.Position) -> Decoded {
        .rejected(diagnostic(rejection, at: position))
    }

    func diagnostic(_ rejection: Rejection, at position: Diagnostic.Position) -> Diagnostic {
        Diagnostic(code: rejection.code.rawValue, file: fileName, at: position, rejection.message)
    }

    /// The result for one record.
    func decoded(_ raw: RawFix, at position: Diagnostic.Position) -> Decoded {
        do throws(Rejection) {
            return .location(try location(from: raw), at: position)
        } catch {
            return rejected(error, at: position)
        }
    }
}
