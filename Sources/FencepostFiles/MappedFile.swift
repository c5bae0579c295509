import Foundation

/// A file in memory, which is read from the disk where it is touched.
///
/// It shows the file as it was opened as long as others replace it instead of writing into it, as `OutputFile` does.
/// Memory behind the end of a file that is made shorter meanwhile cannot be read, and the process ends there.
public final class MappedFile: Sendable {
    private let address: UInt
    /// The size of the file in bytes.
    public let byteCount: Int

    /// Maps a file.
    ///
    /// - Throws: the error of the system, as `errno`.
    public init(path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure(code: EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(code: ENODEV) }
        byteCount = Int(status.st_size)
        guard byteCount > 0 else {
            address = 0
            return
        }
        let memory = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { throw Failure(code: errno) }
        address = UInt(bitPattern: memory)
    }

    /// Bytes in memory that are read as a file is.
    package init(content: [UInt8]) throws(Failure) {
        byteCount = content.count
        guard byteCount > 0 else {
            address = 0
            return
        }
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw Failure(code: errno) }
        memory.copyMemory(from: content, byteCount: byteCount)
        address = UInt(bitPattern: memory)
    }

    deinit {
        if address != 0 { munmap(UnsafeMutableRawPointer(bitPattern: address), byteCount) }
    }

    /// An error number of the system.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// As in `errno`.
        public let code: Int32
        /// The sentence of the system.
        public var description: String { String(cString: strerror(code)) }
    }

    /// Calls a closure with all bytes. They must not be used after it.
    public func withBytes<Result, Problem: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        try body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: byteCount))
    }

    /// A part of a file, which keeps the file in memory.
    public struct Part: Sendable {
        /// The file that the part is of.
        public let file: MappedFile
        /// The place of its first byte in memory.
        public let address: UInt
        /// Its size in bytes.
        public let byteCount: Int

        /// The bytes; valid as long as the part.
        public var bytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: byteCount)
        }
    }

    /// A part by its offset and its size in bytes; `nil` if it is not all in the file.
    public func part(at offset: UInt64, byteCount count: UInt64) -> Part? {
        let size = UInt64(byteCount)
        guard offset <= size, count <= size - offset else { return nil }
        return Part(file: self, address: address + UInt(offset), byteCount: Int(count))
    }
}
