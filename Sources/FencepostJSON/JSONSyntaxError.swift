/// The position where a text stops being JSON, and the reason.
public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// Bytes from the start of the text, including a byte order mark.
    public var offset: Int
    /// From 1.
    public var line: Int
    /// Bytes from the start of the line, from 1, without a byte order mark.
    public var column: Int
    /// One sentence for a person, without the position.
    public var message: String

    /// An error at a byte offset from 0, which is at a line and a column from 1.
    public init(offset: Int, line: Int, column: Int, message: String) {
        self.offset = offset
        self.line = line
        self.column = column
        self.message = message
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The line, the column and the reason.
    public var description: String { "line \(line), column \(column): \(message)" }
}
