/// Where a text stops being JSON, and why.
public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// Bytes from the start of the text, a byte order mark included.
    public var offset: Int
    /// From 1.
    public var line: Int
    /// Bytes from the start of the line, from 1; a byte order mark does not count.
    public var column: Int
    /// One sentence for a person, without the place.
    public var message: String

    public init(offset: Int, line: Int, column: Int, message: String) {
        self.offset = offset
        self.line = line
        self.column = column
        self.message = message
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    public var description: String { "line \(line), column \(column): \(message)" }
}
