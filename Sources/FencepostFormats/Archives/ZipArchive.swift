internal import CZip
internal import FencepostModel

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A zip archive in memory, open for reading. It owns the archive's bytes and libzip's handles.
///
/// The archive is held in memory, because its directory is at its end. Names in it never become paths.
final class ZipArchive {
    private let zip: OpaquePointer
    /// The names of the entries by index; `nil` for one whose name is not text.
    let names: [String?]

    static let entryLimit = 10_000

    /// - Parameter bytes: is empty afterwards.
    /// - Throws: `invalid_shape` for a corrupt archive, `payload_too_large` for one with too many entries.
    init(_ bytes: inout [UInt8]) throws(Rejection) {
        let zip = try ZipArchive.open(&bytes)
        let count = Int(max(0, zip_get_num_entries(zip, 0)))
        guard count <= ZipArchive.entryLimit else {
            zip_discard(zip)
            throw Rejection(.payloadTooLarge, "the archive has more than \(ZipArchive.entryLimit) entries")
        }
        self.zip = zip
        names = (0..<count).map { index in zip_get_name(zip, zip_uint64_t(index), 0).map { String(cString: $0) } }
    }

    deinit {
        zip_discard(zip)
    }

    private static func open(_ bytes: inout [UInt8]) throws(Rejection) -> OpaquePointer {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        // libzip frees the copy with the source, because of the 1.
        let copy = malloc(max(1, bytes.count))
        bytes.withUnsafeBytes {
            if let start = $0.baseAddress { copy?.copyMemory(from: start, byteCount: $0.count) }
        }
        let count = bytes.count
        bytes = []
        guard let source = zip_source_buffer_create(copy, zip_uint64_t(count), 1, &error) else {
            free(copy)
            throw Rejection(
                .invalidShape, "the archive cannot be read: \(String(cString: zip_error_strerror(&error)))")
        }
        // Takes ownership of the source only on success.
        guard let zip = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            throw Rejection(
                .invalidShape,
                "the archive is corrupt or incomplete: \(String(cString: zip_error_strerror(&error)))")
        }
        return zip
    }

    /// Opens an entry.
    ///
    /// - Throws: `invalid_shape`, for example for an encrypted entry.
    func open(_ index: Int) throws(Rejection) -> Entry {
        guard let file = zip_fopen_index(zip, zip_uint64_t(index), 0) else {
            throw Rejection(.invalidShape, "it cannot be read: \(String(cString: zip_strerror(zip)))")
        }
        return Entry(file, of: self)
    }

    /// An entry that is open for reading.
    final class Entry {
        private let file: OpaquePointer
        /// Keeps the archive open.
        private let archive: ZipArchive

        fileprivate init(_ file: OpaquePointer, of archive: ZipArchive) {
            self.file = file
            self.archive = archive
        }

        deinit {
            zip_fclose(file)
        }

        /// Inflates the next bytes.
        ///
        /// - Returns: the number of bytes; 0 at the end, `nil` if the entry is corrupt.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            let count = Int(zip_fread(file, buffer.baseAddress, zip_uint64_t(buffer.count)))
            return count >= 0 ? count : nil
        }
    }

    /// The name of the first entry by the bytes of its local header, in lower case; empty if it is incomplete.
    static func firstName(in head: ArraySlice<UInt8>) -> String {
        let start = head.startIndex
        guard head.count > 30 else { return "" }
        let length = Int(head[start + 26]) | Int(head[start + 27]) << 8
        return String(decoding: head[(start + 30)...].prefix(length), as: UTF8.self).lowercased()
    }
}
