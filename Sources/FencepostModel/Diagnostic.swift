/// One thing that is wrong with some input: where, what, and how to mend it.
public struct Diagnostic: Hashable, Sendable {
    public enum Severity: String, Hashable, Sendable { case error, warning }

    /// Where in its file.
    public enum Place: Hashable, Sendable {
        case file
        /// From 1.
        case line(Int)
        /// Line and column, both from 1, the column in bytes.
        case position(line: Int, column: Int)
        /// The record's place, from 0, in formats without lines.
        case index(Int)
        /// A JSON Pointer (RFC 6901).
        case pointer(String)
    }

    public var severity: Severity
    /// Stable, in snake case, with few values: fit for a metric label.
    public var code: String
    /// The file's name as the user gave it; `nil` for standard input.
    public var file: String?
    public var place: Place
    /// One sentence for a person: what is wrong and how to mend it.
    public var message: String

    public init(
        _ severity: Severity = .error, code: String, file: String? = nil, at place: Place, _ message: String
    ) {
        self.severity = severity
        self.code = code
        self.file = file
        self.place = place
        self.message = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// `file:line: error: sentence [code]`, as compilers write it.
    public var description: String {
        let name = file ?? "<stdin>"
        let location =
            switch place {
            case .file: name
            case .line(let line): "\(name):\(line)"
            case .position(let line, let column): "\(name):\(line):\(column)"
            case .index(let index): "\(name): record \(index)"
            case .pointer(let pointer): "\(name): \(pointer.isEmpty ? "the document" : pointer)"
            }
        return "\(location): \(severity.rawValue): \(message) [\(code)]"
    }
}
