import Foundation

/// The reason why a command does not write a file. Nothing of it was written.
public struct OutputFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The command, a service or another process uses the file.
        case inUse
        /// The file exists, and `--force` was not given.
        case exists
        /// The file cannot be created: no such folder, no permission, a folder of that name.
        case cannotCreate
        /// No disk space is left.
        case full
        /// The disk failed.
        case inputOutput
    }

    /// The kind of failure.
    public var code: Code
    /// One sentence for people, which names the file.
    public var message: String

    /// An error with a message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a system call that was to write a file.
    init(errno number: Int32, path: String) {
        let reason = String(cString: strerror(number))
        switch number {
        case ENOSPC, EDQUOT: self.init(.full, "No disk space is left for \(path). Nothing was left behind.")
        case EIO: self.init(.inputOutput, "\(path) cannot be written: \(reason).")
        default: self.init(.cannotCreate, "\(path) cannot be created: \(reason).")
        }
    }

    /// The message.
    public var description: String { message }
}
