internal import CZip

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Writes a zip archive in memory. The same files give the same bytes.
enum ZipWriter {
    /// 1980-01-01, the earliest time of a zip archive.
    private static let time: time_t = 315_532_800

    /// - Throws: if libzip fails, for example without memory.
    static func archive(_ files: [(name: String, bytes: [UInt8])]) throws(ZipFailure) -> [UInt8] {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let target = zip_source_buffer_create(nil, 0, 0, &error) else { throw ZipFailure(&error) }
        // The archive owns one reference; this one is for reading the result.
        zip_source_keep(target)
        defer { zip_source_free(target) }
        guard let zip = zip_open_from_source(target, ZIP_TRUNCATE, &error) else {
            zip_source_free(target)
            throw ZipFailure(&error)
        }
        for file in files {
            // libzip frees the copy with the source, because of the 1.
            let copy = malloc(max(1, file.bytes.count))
            file.bytes.withUnsafeBytes {
                if let start = $0.baseAddress { copy?.copyMemory(from: start, byteCount: $0.count) }
            }
            let source = zip_source_buffer(zip, copy, zip_uint64_t(file.bytes.count), 1)
            let index = zip_file_add(zip, file.name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
            guard index >= 0 else {
                if source != nil { zip_source_free(source) } else { free(copy) }
                defer { zip_discard(zip) }
                throw ZipFailure(message: String(cString: zip_strerror(zip)))
            }
            zip_file_set_mtime(zip, zip_uint64_t(index), time, 0)
        }
        guard zip_close(zip) == 0 else {
            defer { zip_discard(zip) }
            throw ZipFailure(message: String(cString: zip_strerror(zip)))
        }
        return try read(target)
    }

    private static func read(_ source: OpaquePointer) throws(ZipFailure) -> [UInt8] {
        guard zip_source_open(source) == 0 else { throw ZipFailure(message: "the archive cannot be read back") }
        defer { zip_source_close(source) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                zip_source_read(source, $0.baseAddress, zip_uint64_t($0.count))
            }
            guard count >= 0 else { throw ZipFailure(message: "the archive cannot be read back") }
            if count == 0 { return bytes }
            bytes += buffer[..<Int(count)]
        }
    }
}

/// The reason why an archive cannot be written.
public struct ZipFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let message: String

    init(message: String) { self.message = message }

    init(_ error: inout zip_error_t) { message = String(cString: zip_error_strerror(&error)) }

    public var description: String { message }
}
