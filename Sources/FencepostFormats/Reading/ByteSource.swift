#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A source of bytes: a file, a descriptor such as standard input, or memory.
public struct ByteSource: ~Copyable {
    private enum Origin {
        case descriptor(Int32)
        case memory([UInt8], position: Int)
    }

    private var origin: Origin
    private let closes: Bool
    private let maximumRead: Int

    /// Opens a file.
    public init(path: String) throws(ByteSourceError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ByteSourceError(number: errno) }
        origin = .descriptor(descriptor)
        closes = true
        maximumRead = .max
    }

    /// Reads from a descriptor; the caller closes it.
    public init(descriptor: Int32) {
        origin = .descriptor(descriptor)
        closes = false
        maximumRead = .max
    }

    /// A source of bytes in memory.
    ///
    /// - Parameters:
    ///   - bytes: all bytes.
    ///   - maximumRead: the maximum number of bytes per read, for tests.
    public init(bytes: [UInt8], maximumRead: Int = .max) {
        precondition(maximumRead > 0, "a read of no bytes means the end")
        origin = .memory(bytes, position: 0)
        closes = false
        self.maximumRead = maximumRead
    }

    deinit {
        if closes, case .descriptor(let descriptor) = origin { close(descriptor) }
    }

    /// Waits for bytes and returns the available ones, without waiting for the buffer to fill.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
        switch origin {
        case .descriptor(let descriptor):
            #if canImport(Darwin)
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            guard count >= 0 else { throw ByteSourceError(number: errno) }
            return count
        case .memory(let bytes, let position):
            let count = min(bytes.count - position, buffer.count, maximumRead)
            buffer.copyBytes(from: bytes[position..<position + count])
            origin = .memory(bytes, position: position + count)
            return count
        }
    }
}

/// The reason why a file cannot be opened or read.
public struct ByteSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the failed call.
    public var number: Int32

    /// The error of a call that set this `errno`.
    public init(number: Int32) {
        self.number = number
    }

    /// The system's text for the number.
    public var description: String { String(cString: strerror(number)) }

    /// Whether a signal interrupted the wait; no bytes are lost, and reading can continue.
    public var isInterruption: Bool { number == EINTR }

    /// Whether this user may not read the file.
    public var isPermissionDenied: Bool { number == EACCES || number == EPERM }

    /// Whether the file does not exist, as opposed to one that cannot be read.
    public var isNoSuchFile: Bool { number == ENOENT || number == ENOTDIR }
}
