#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A regular file of Fencepost's own locations, one per line, that several readers can read at the same time.
public struct LineFile: Sendable {
    /// The name given by the user; `nil` for standard input.
    public let name: String?
    /// The range of bytes to read; later additions to the file are not read.
    public let bounds: Range<Int>

    /// - Parameters:
    ///   - path: `nil` for standard input, which is read from its current position.
    ///   - format: `nil` detects it from the name and the first bytes.
    /// - Returns: `nil` for other kinds of files and for an empty one.
    /// - Throws: if the file does not exist or cannot be opened.
    public static func find(path: String?, format: LocationFormat?) throws(ByteSourceError) -> LineFile? {
        let file = try LineFileDescriptor(path: path)
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let start = path == nil ? Int(lseek(file.descriptor, 0, SEEK_CUR)) : 0
        let end = Int(status.st_size)
        guard start >= 0, start < end else { return nil }
        if let format = format ?? path.flatMap({ LocationFormat(fileName: $0) }) {
            return format == .ndjson ? LineFile(name: path, bounds: start..<end) : nil
        }
        var head = [UInt8](repeating: 0, count: min(end - start, 1 << 18))
        let count = head.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, start) }
        head.removeLast(head.count - max(count, 0))
        let found =
            LocationFormat(head: head, isComplete: false)
            ?? (head.count == end - start ? LocationFormat(head: head, isComplete: true) : nil)
        return found == .ndjson ? LineFile(name: path, bounds: start..<end) : nil
    }
}

/// A file descriptor that is closed at the end of its lifetime, unless it is standard input.
struct LineFileDescriptor: ~Copyable {
    let descriptor: Int32
    private let closes: Bool

    /// Opens a file for reading; `nil` for standard input.
    init(path: String?) throws(ByteSourceError) {
        closes = path != nil
        guard let path else {
            descriptor = STDIN_FILENO
            return
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ByteSourceError(number: errno) }
    }

    deinit { if closes { close(descriptor) } }
}
