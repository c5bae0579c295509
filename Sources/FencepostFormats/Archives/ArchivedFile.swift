internal import FencepostModel

/// A file of an archive while it is read.
final class ArchivedFile {
    let name: String
    /// The number of records so far.
    var count = 0
    private let entry: ZipArchive.Entry
    private let decoder: DetectingDecoder

    init(name: String, entry: ZipArchive.Entry, _ context: DecoderContext) {
        self.name = name
        self.entry = entry
        var context = context
        context.fileName = name
        decoder = DetectingDecoder(context)
    }

    enum Step {
        /// The number of inflated bytes.
        case bytes(Int)
        case end
        case failed(Rejection)
    }

    /// Whether the name or the content says that the file contains locations. Then its problems are reported.
    var isCertain: Bool { decoder.isCertain }

    /// Inflates and decodes 64 KiB.
    func readNext(into records: inout [Decoded]) -> Step {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        guard let count = buffer.withUnsafeMutableBytes({ entry.read(into: $0) }) else {
            return .failed(Rejection(.invalidShape, "it is corrupt"))
        }
        if count == 0 {
            decoder.finish(into: &records)
        } else {
            buffer.withUnsafeBufferPointer {
                decoder.decode(UnsafeBufferPointer(rebasing: $0[..<count]), into: &records)
            }
        }
        if let failure = decoder.failure {
            return .failed(
                Rejection(RejectionCode(rawValue: failure.code) ?? .invalidShape, failure.positionedMessage))
        }
        return count == 0 ? .end : .bytes(count)
    }

    /// Whether a name can be that of a location file.
    static func isCandidate(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".json") || name.hasSuffix(".jsonl")
            || LocationFormat(fileName: name) != nil
    }

    /// A key that sorts files by time where their names contain it, such as `2023_MARCH.json`.
    static func order(of name: String) -> String {
        var key = name.uppercased()
        for (index, month) in months.enumerated() where key.contains(month) {
            key = key.replacing(month, with: index < 9 ? "0\(index + 1)" : "\(index + 1)")
        }
        return key
    }

    private static let months = [
        "JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER",
        "DECEMBER",
    ]
}

extension Diagnostic {
    /// The message with the line, if the position has one.
    fileprivate var positionedMessage: String {
        switch position {
        case .line(let line): "line \(line): \(message)"
        case .position(let line, let column): "line \(line), column \(column): \(message)"
        case .file, .index, .pointer: message
        }
    }
}
