/// One problem in some input: where it is, what is wrong, and how to correct it.
public struct Diagnostic: Hashable, Sendable {
    /// Whether the part with the problem cannot be used (`error`), or is used, perhaps after a correction (`warning`).
    public enum Severity: String, Hashable, Sendable { case error, warning }

    /// A position in the input.
    public enum Position: Hashable, Sendable {
        /// The input as a whole.
        case file
        /// From 1.
        case line(Int)
        /// Line and column, both from 1, the column in bytes.
        case position(line: Int, column: Int)
        /// The index of the record, from 0, in formats without lines.
        case index(Int)
        /// A JSON Pointer (RFC 6901).
        case pointer(String)
    }

    /// Whether the part with the problem is used.
    public var severity: Severity
    /// A stable name in snake case from a small set of values, so that it can be a metric label.
    public var code: String
    /// The file's name as the user gave it; `nil` for standard input.
    public var file: String?
    /// Where in the input the problem is, as precisely as the reader knows it.
    public var position: Position
    /// One sentence for people: what is wrong and how to correct it.
    public var message: String

    /// A problem at a position; `file` is `nil` for standard input and where the caller adds the name later.
    public init(
        _ severity: Severity = .error, code: String, file: String? = nil, at position: Position, _ message: String
    ) {
        self.severity = severity
        self.code = code
        self.file = file
        self.position = position
        self.message = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// `file:line: error: sentence [code]`, the format of compilers.
    public var description: String {
        let name = file ?? "<stdin>"
        let location =
            switch position {
            case .file: name
            case .line(let line): "\(name):\(line)"
            case .position(let line, let column): "\(name):\(line):\(column)"
            case .index(let index): "\(name): record \(index)"
            case .pointer(let pointer): "\(name): \(pointer.isEmpty ? "the document" : pointer)"
            }
        return "\(location): \(severity.rawValue): \(message) [\(code)]"
    }
}
