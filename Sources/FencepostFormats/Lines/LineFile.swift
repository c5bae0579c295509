#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A regular file of Fencepost's own locations, one a line, which several readers can read at the same time.
public struct LineFile: Sendable {
    /// As the user gave it; `nil` for standard input.
    public let name: String?
    /// Where it begins and ends: what is written to it later is not read.
    public let bounds: Range<Int>

    /// - Parameters:
    ///   - path: `nil` for standard input, which is read from where it stands.
    ///   - format: `nil` finds out from the name and the first bytes.
    /// - Returns: `nil` for what is no such file, or an empty one.
    /// - Throws: when there is no such file, or it cannot be opened.
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

/// A descriptor of a file, closed when it is done with unless it is standard input.
struct LineFileDescriptor: ~Copyable {
    let descriptor: Int32
    private let closes: Bool

    /// - Parameter path: `nil` for standard input.
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
