/// The reason why a saved index is not used.
public struct SavedIndexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The file cannot be opened.
        case unreadable
        /// The file is something else than a saved index.
        case noIndex
        /// A computer with another byte order made it.
        case otherByteOrder
        /// Another version of Fencepost made it.
        case otherVersion
        /// Its content is not what was written.
        case damaged
        /// The regions have changed since, or other ones are asked for.
        case outdated
    }

    /// The kind of reason.
    public let code: Code
    /// One sentence for people, which names the file.
    public let message: String
    /// The error number of the system for `unreadable`; otherwise 0.
    public let systemError: Int32

    init(_ code: Code, _ message: String, systemError: Int32 = 0) {
        (self.code, self.message, self.systemError) = (code, message, systemError)
    }

    /// The message.
    public var description: String { message }
}
