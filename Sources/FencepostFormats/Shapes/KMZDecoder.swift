internal import CZip
internal import FencepostModel

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Decodes KMZ: a zip archive, of which the first `.kml` is read.
///
/// Names in the archive never become paths. The archive is held in memory, because its directory is at its end; its
/// contents are streamed.
final class KMZDecoder: RecordDecoder {
    private let context: DecoderContext
    private let inner: XMLDecoder
    private var archive: [UInt8] = []
    private var ownFailure: Diagnostic?
    /// Set when the archive is complete.
    private var opened: OpenArchive?
    private var inflated = 0

    var failure: Diagnostic? { ownFailure ?? inner.failure }

    private static let archiveLimit = 64 << 20
    private static let inflatedLimit = 1 << 30
    private static let entryLimit: Int64 = 10_000

    init(_ context: DecoderContext) {
        self.context = context
        inner = XMLDecoder(context, shape: KMLShape())
    }

    func decode(_ chunk: UnsafeBufferPointer<UInt8>, into records: inout [Decoded]) {
        guard archive.count + chunk.count <= KMZDecoder.archiveLimit else {
            archive = []
            fail(.payloadTooLarge, "the archive has more than 64 MiB")
            return
        }
        archive.append(contentsOf: chunk)
    }

    func finish(into records: inout [Decoded]) {
        while !finishStep(into: &records) {}
    }

    /// Opens the archive with the first step, and inflates 256 KiB with each other one.
    func finishStep(into records: inout [Decoded]) -> Bool {
        guard failure == nil else { return true }
        guard let opened else {
            opened = OpenArchive(&archive, fail)
            return failure != nil || opened == nil
        }
        return inflate(opened, into: &records)
    }

    private func fail(_ code: RejectionCode, _ message: String) {
        ownFailure = ownFailure ?? context.diagnostic(Rejection(code, message), at: .file)
    }

    /// - Returns: whether the content is complete, or cannot be read.
    private func inflate(_ opened: OpenArchive, into records: inout [Decoded]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        for _ in 0..<4 where inner.failure == nil {
            let count = buffer.withUnsafeMutableBytes {
                Int(zip_fread(opened.file, $0.baseAddress, zip_uint64_t($0.count)))
            }
            guard count >= 0 else {
                fail(.invalidShape, "\(opened.name) in the archive is corrupt")
                return true
            }
            if count == 0 {
                inner.finish(into: &records)
                return true
            }
            inflated += count
            guard inflated <= KMZDecoder.inflatedLimit else {
                fail(.payloadTooLarge, "\(opened.name) in the archive has more than 1 GiB when inflated")
                return true
            }
            buffer.withUnsafeBufferPointer {
                inner.decode(UnsafeBufferPointer(rebasing: $0[..<count]), into: &records)
            }
        }
        return inner.failure != nil
    }

    /// The first `.kml` of an archive, open for reading. It owns the archive's bytes and libzip's handles.
    private final class OpenArchive {
        let name: String
        let file: OpaquePointer
        private let zip: OpaquePointer

        /// Opens the first KML file of an archive; `nil` after a call of `fail`. `bytes` is empty afterwards.
        init?(_ bytes: inout [UInt8], _ fail: (RejectionCode, String) -> Void) {
            guard let zip = Self.open(&bytes, fail) else { return nil }
            guard let (name, file) = Self.openFirstKML(of: zip, fail) else {
                zip_discard(zip)
                return nil
            }
            (self.zip, self.name, self.file) = (zip, name, file)
        }

        deinit {
            zip_fclose(file)
            zip_discard(zip)
        }

        private static func open(
            _ bytes: inout [UInt8], _ fail: (RejectionCode, String) -> Void
        ) -> OpaquePointer? {
            var error = zip_error_t()
            zip_error_init(&error)
            defer { zip_error_fini(&error) }
            // libzip frees the copy with the source, because of the 1.
            let copy = malloc(max(1, bytes.count))
            bytes.withUnsafeBytes {
                if let start = $0.baseAddress { copy?.copyMemory(from: start, byteCount: $0.count) }
            }
            defer { bytes = [] }
            guard let source = zip_source_buffer_create(copy, zip_uint64_t(bytes.count), 1, &error) else {
                free(copy)
                fail(.invalidShape, "the archive cannot be read: \(String(cString: zip_error_strerror(&error)))")
                return nil
            }
            // Takes ownership of the source only on success.
            guard let zip = zip_open_from_source(source, ZIP_RDONLY, &error) else {
                zip_source_free(source)
                fail(
                    .invalidShape,
                    "the archive is corrupt or incomplete: \(String(cString: zip_error_strerror(&error)))")
                return nil
            }
            return zip
        }

        private static func openFirstKML(
            of zip: OpaquePointer, _ fail: (RejectionCode, String) -> Void
        ) -> (String, OpaquePointer)? {
            let count = zip_get_num_entries(zip, 0)
            guard count <= KMZDecoder.entryLimit else {
                fail(.payloadTooLarge, "the archive has more than \(KMZDecoder.entryLimit) entries")
                return nil
            }
            for index in 0..<max(0, count) {
                guard let name = zip_get_name(zip, zip_uint64_t(index), 0).map({ String(cString: $0) }),
                    name.lowercased().hasSuffix(".kml")
                else { continue }
                guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else { continue }
                guard let file = zip_fopen_index(zip, zip_uint64_t(index), 0) else {
                    fail(.invalidShape, "\(name) in the archive cannot be read: \(String(cString: zip_strerror(zip)))")
                    return nil
                }
                return (name, file)
            }
            fail(.invalidShape, "the archive contains no .kml file")
            return nil
        }
    }
}
